import { readFile } from 'node:fs/promises';
import type { Config } from './config.js';
import { defaultConfig, loadConfig } from './load.js';
import { GuardError } from '../errors.js';
import { plain } from '../fleet/quoted.js';
import { checkPlainFile } from '../plain-file.js';
import { isLinkOutOfRepository } from '../repository.js';
import { entries } from './entries.js';

/** The config of a file, or what holds without one. */
export async function readConfig(file: string | undefined): Promise<Config> {
  return file === undefined ? defaultConfig() : parseConfig(file, await readConfigText(file));
}

export async function readConfigText(file: string): Promise<string> {
  try {
    checkPlainFile(file);
    if (isLinkOutOfRepository(file)) throw new Error('a link leads out of the repository');
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new GuardError('CONFIG_UNREADABLE', `${plain(file)}: the config file cannot be read`, { cause: error });
  }
}

export function parseConfig(file: string, text: string): Config {
  return loadConfig(text, { file, ruleIds: entries.map(({ id }) => id) });
}
