/** Refused; admitted with a warning; admitted and said to nobody, but logged, counted and audited; not judged at all. */
export const modes = ['deny', 'warn', 'audit', 'off'] as const;
export type Mode = (typeof modes)[number];

/** Whether a rule in this mode keeps a write from being stored. */
export const refuses: Readonly<Record<Mode, boolean>> = { deny: true, warn: false, audit: false, off: false };

/** What becomes of a deny rule that cannot tell: refuse and ask to send again, warn, or only say so. */
export type WhenUndetermined = 'retry' | 'warn' | 'note';

type Modes = Readonly<Record<string, Mode>>;

/** The operator's settings, as far as verdicts depend on them. */
export interface Policy {
  readonly rules: Modes;
  readonly namespaces: Readonly<Record<string, { readonly rules: Modes }>>;
  readonly undetermined: {
    readonly default: WhenUndetermined;
    readonly rules: Readonly<Record<string, WhenUndetermined>>;
  };
  readonly retry: { readonly defaultSeconds: number; readonly maxAgeSeconds: number };
  readonly concurrency: 'exclusive' | 'compatible' | 'off';
  readonly kubefleet: { readonly version: string };
  readonly hubAgent: { readonly users: readonly string[]; readonly confirmed: boolean };
}

/** What holds where nobody has set anything. */
export const defaultPolicy: Policy = {
  rules: {},
  namespaces: {},
  undetermined: { default: 'retry', rules: {} },
  // Client-go sends again up to 10 times, so 3 s give a busy scheduler half a minute.
  retry: { defaultSeconds: 3, maxAgeSeconds: 120 },
  concurrency: 'exclusive',
  kubefleet: { version: 'auto' },
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: true },
};

/** What the settings need to know of a rule. */
interface Named {
  readonly id: string;
}

/** The mode of a rule for objects of a namespace: the namespace's setting, else the general one, else the rule's own. */
export function modeOf(policy: Policy, rule: Named & { severity: Mode }, namespace: string | undefined): Mode {
  const ofNamespace = namespace === undefined ? undefined : own(policy.namespaces, namespace)?.rules;
  return own(ofNamespace ?? {}, rule.id) ?? own(policy.rules, rule.id) ?? rule.severity;
}

/** What an undetermined deny rule comes to. */
export function whenUndetermined(policy: Policy, rule: Named): WhenUndetermined {
  return own(policy.undetermined.rules, rule.id) ?? policy.undetermined.default;
}

/** Whether a user is the hub agent, as far as the settings say. */
export function isHubAgent(policy: Policy, user: string): boolean {
  return policy.hubAgent.users.includes(user);
}

/** For rules that single out the hub agent, as long as nobody has made sure of its name. */
export const agentNameHint =
  'If this user is the hub agent, name it under hubAgent.users in the settings of the guard.';

/** Names come from users: `constructor` must not find what no one has set. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
