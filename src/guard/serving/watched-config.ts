import { Background } from '../../background.js';
import { systemClock, type Clock } from '../../clock.js';
import { fixedSettings, type Config, type Settings } from '../../config/config.js';
import { defaultConfig } from '../../config/load.js';
import { describe } from '../../errors.js';
import { sameJson } from '../../fleet/json.js';
import type { Log } from '../../log.js';
import { parseConfig, readConfigText } from '../../config/read.js';

/** A mounted ConfigMap takes up to a minute to arrive; nobody notices five seconds more. */
const lookMilliseconds = 5_000;

/** Editors write in steps, and half a file may be right by itself: what is new must stay the same for this long. */
const stillMilliseconds = 500;

export interface WatchedConfig extends Settings {
  start(): void;
  stop(): Promise<void>;
}

/**
 * Reads the config file, and follows it once started. At first a file with errors ends the start; later on it never replaces what
 * was in use, and the log says once what is wrong with it.
 */
export async function watchConfig(
  file: string | undefined,
  { log, clock = systemClock }: { readonly log: Log; readonly clock?: Clock },
): Promise<WatchedConfig> {
  if (file === undefined) {
    return { ...fixedSettings(defaultConfig()), start: () => undefined, stop: () => Promise.resolve() };
  }
  const text = await readConfigText(file);
  return new ConfigFile({ file, log, clock, first: { text, config: parseConfig(file, text) } });
}

interface UsedConfig {
  readonly text: string;
  readonly config: Config;
}

interface ConfigFileParts {
  readonly file: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly first: UsedConfig;
}

class ConfigFile extends Background implements WatchedConfig {
  private used: UsedConfig;
  private text: string;
  private error: string | undefined;

  constructor(private readonly parts: ConfigFileParts) {
    super(parts.clock);
    this.used = parts.first;
    this.text = parts.first.text;
  }

  current(): Config {
    return this.used.config;
  }

  isCurrent(): boolean {
    return this.error === undefined;
  }

  protected async turn(): Promise<number> {
    const { file, log } = this.parts;
    try {
      const before = this.text;
      this.text = await readConfigText(file);
      if (this.text !== before) return stillMilliseconds;
      this.take(this.text);
      this.error = undefined;
    } catch (error) {
      const found = describe(error);
      if (found !== this.error)
        log.error({ file, error: found }, 'the config file cannot be used; the settings before stay');
      this.error = found;
    }
    return lookMilliseconds;
  }

  private take(text: string): void {
    const { file, log } = this.parts;
    const config = text === this.used.text ? this.used.config : parseConfig(file, text);
    const changed = changedIn(this.used.config, config);
    if (changed.length > 0) log.info({ file, changed }, 'the settings have changed');
    else if (this.error !== undefined) log.info({ file }, 'the config file is in order again');
    this.used = { text, config };
  }
}

/** The names of the settings that differ. */
function changedIn(before: Config, after: Config): readonly string[] {
  return (Object.keys(after) as (keyof Config)[]).filter((key) => !sameJson(before[key], after[key])).sort();
}
