import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';

// Stands in for the editor of `kubectl edit`: sets fields of the spec, and saves.
const [fields = '', file = ''] = process.argv.slice(2);
const object = parse(readFileSync(file, 'utf8'));
Object.assign(object.spec, JSON.parse(Buffer.from(fields, 'base64').toString()));
writeFileSync(file, stringify(object));
