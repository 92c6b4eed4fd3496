import { Background } from '../background.js';
import { systemClock, type Clock } from '../clock.js';
import { fixedSettings, type Config, type Settings } from '../config/config.js';
import { defaultConfig } from '../config/load.js';
import { describe } from '../errors.js';
import { sameJson } from '../fleet/json.js';
import type { Log } from '../log.js';
import { parseConfig, readConfigText } from './settings.js';

/** A mounted ConfigMap takes up to a minute to arrive; nobody notices five seconds more. */
const lookMilliseconds = 5_000;

/** Editors write in steps, and half a file may be right by itself: what is new must stay the same for this long. */
const stillMilliseconds = 500;

export interface FollowedConfig extends Settings {
  start(): void;
  stop(): Promise<void>;
}

/**
 * Reads the config file, and follows it once started. At first a faulty file is an error; later on it never replaces what
 * was in use, and the log says once what is wrong with it.
 */
export async function followConfig(
  file: string | undefined,
  { log, clock = systemClock }: { readonly log: Log; readonly clock?: Clock },
): Promise<FollowedConfig> {
  if (file === undefined) {
    return { ...fixedSettings(defaultConfig()), start: () => undefined, stop: () => Promise.resolve() };
  }
  let text = await readConfigText(file);
  let used = { text, config: parseConfig(file, text) };
  let fault: string | undefined;
  const look = async (): Promise<number> => {
    try {
      const before = text;
      text = await readConfigText(file);
      if (text !== before) return stillMilliseconds;
      const next = text === used.text ? used.config : parseConfig(file, text);
      const changed = changedIn(used.config, next);
      if (changed.length > 0) log.info({ file, changed }, 'the settings have changed');
      else if (fault !== undefined) log.info({ file }, 'the config file is in order again');
      used = { text, config: next };
      fault = undefined;
    } catch (error) {
      const found = describe(error);
      if (found !== fault)
        log.error({ file, error: found }, 'the config file cannot be used; the settings before stay');
      fault = found;
    }
    return lookMilliseconds;
  };
  const background = new Background(look, clock);
  return {
    current: () => used.config,
    isCurrent: () => fault === undefined,
    start: () => {
      background.start();
    },
    stop: () => background.stop(),
  };
}

/** The names of the settings that differ. */
function changedIn(before: Config, after: Config): readonly string[] {
  return (Object.keys(after) as (keyof Config)[]).filter((key) => !sameJson(before[key], after[key])).sort();
}
