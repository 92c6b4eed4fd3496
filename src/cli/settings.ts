import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.js';
import { defaultConfig, loadConfig } from '../config/load.js';
import { GuardError } from '../errors.js';
import { catalogue } from '../rules/index.js';

/** The config of a file, or what holds without one. */
export async function readConfig(file: string | undefined): Promise<Config> {
  return file === undefined ? defaultConfig() : parseConfig(file, await readConfigText(file));
}

export async function readConfigText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new GuardError('CONFIG_UNREADABLE', `${file}: the config file cannot be read`, { cause: error });
  }
}

export function parseConfig(file: string, text: string): Config {
  return loadConfig(text, { file, ruleIds: catalogue.map(({ id }) => id) });
}
