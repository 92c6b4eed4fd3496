import { createHash } from 'node:crypto';
import { stableJson } from '../fleet/json.js';
import type { Mode, Policy } from '../engine/policy.js';

type Modes = Readonly<Record<string, Mode>>;

/** The config file, its defaults filled in. */
export interface Config {
  readonly rules: Modes;
  readonly namespaces: Readonly<Record<string, { readonly rules: Modes }>>;
  readonly concurrency: 'exclusive' | 'compatible' | 'off';
  readonly kubefleet: { readonly version: string };
  readonly claims: { readonly settleSeconds: number; readonly whenUnavailable: 'retry' | 'admit' };
  readonly undetermined: {
    readonly default: 'retry' | 'warn';
    readonly rules: Readonly<Record<string, 'retry' | 'warn'>>;
  };
  readonly hubAgent: {
    readonly users: readonly string[];
    readonly confirmed: 'auto' | boolean;
    /** NAMESPACE/NAME; empty where nobody is to look at it. */
    readonly deployment: string;
  };
  /** Rules about gates that may be bypassed by whoever has the right. */
  readonly exemptions: { readonly gates: readonly string[] };
  readonly retry: { readonly defaultSeconds: number; readonly maxAgeSeconds: number };
  readonly limits: { readonly inFlight: number; readonly bodyBytes: number };
  readonly message: { readonly footer: string };
}

/** Equal for equal settings; of a config that is in use it is found once. */
export function settingsHash(config: Config): string {
  const known = hashes.get(config);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(stableJson(config)).digest('hex').slice(0, 16);
  hashes.set(config, hash);
  return hash;
}

const hashes = new WeakMap<Config, string>();

/** The config as it is now: it may change while the guard runs. */
export interface Settings {
  current(): Config;
  /** Whether that is what the config file says; false where the file cannot be read, or what it says cannot be used. */
  isCurrent(): boolean;
}

/** Settings that stay as they are. */
export function fixedSettings(config: Config): Settings {
  return { current: () => config, isCurrent: () => true };
}

/**
 * What of the config verdicts depend on. `isConfirmed` and `version` answer where the config leaves it to the hub to say
 * whether the hub agent's name is right, and which KubeFleet it runs. Without a hub the name is taken as given, and the
 * version is not known.
 */
export function policyOf(config: Config, isConfirmed = true, version = 'auto'): Policy {
  const { rules, namespaces, undetermined, retry, concurrency } = config;
  const { users, confirmed } = config.hubAgent;
  return {
    ...{ rules, namespaces, undetermined, retry, concurrency },
    kubefleet: config.kubefleet.version === 'auto' ? { version } : config.kubefleet,
    hubAgent: { users, confirmed: confirmed === 'auto' ? isConfirmed : confirmed },
  };
}
