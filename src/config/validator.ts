import { Ajv } from 'ajv';
import type { Config } from './config.js';
import { ajvOptions, configSchema } from './schema.js';

/**
 * Says whether JSON is a config, and fills in what it leaves out. The program is built without this file: compiling the
 * schema takes a third of a short command's time, so tools/compiled-schemas.mjs does it before.
 */
export const validate = new Ajv(ajvOptions).compile<Config>(configSchema);
