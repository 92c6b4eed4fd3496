import { Ajv } from 'ajv';
import type { CasesFile } from './cases.js';
import { casesAjvOptions, casesSchema } from './cases-schema.js';

/** Says whether JSON is a file of cases, and fills in what it leaves out. Compiled when the program is built, as validator.ts is. */
export const validateCases = new Ajv(casesAjvOptions).compile<CasesFile>(casesSchema);
