import { createHash } from 'node:crypto';
import { stableJson } from '../fleet/json.js';
import type { ModeSettings, Policy } from '../engine/policy.js';

/** The config file, its defaults filled in. */
export interface Config extends Omit<ModeSettings, 'labelsOf'> {
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
  readonly freeze: Policy['freeze'];
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

/** What the config leaves to the hub to say. Without a hub the name of the hub agent is taken as given. */
export interface ToldByHub {
  readonly isConfirmed?: boolean | undefined;
  /** The version of KubeFleet. */
  readonly version?: string | undefined;
  readonly labelsOf?: Policy['labelsOf'];
}

/** What of the config verdicts depend on. */
export function policyOf(config: Config, told: ToldByHub = {}): Policy {
  const { isConfirmed = true, version = 'auto', labelsOf } = told;
  const { defaultMode, rules, namespaces, namespaceLabels, undetermined, retry, concurrency, freeze } = config;
  const { users, confirmed } = config.hubAgent;
  return {
    ...{ defaultMode, rules, namespaces, namespaceLabels, undetermined, retry, concurrency, freeze },
    ...(labelsOf !== undefined && { labelsOf }),
    kubefleet: config.kubefleet.version === 'auto' ? { version } : config.kubefleet,
    hubAgent: { users, confirmed: confirmed === 'auto' ? isConfirmed : confirmed },
  };
}
