import type { Freeze } from './freeze.js';

/** Refused; admitted with a warning; admitted and said to nobody, but logged, counted and audited; not judged at all. */
export const modes = ['deny', 'warn', 'audit', 'off'] as const;
export type Mode = (typeof modes)[number];

/** Whether a rule in this mode keeps a write from being stored. */
export const refuses: Readonly<Record<Mode, boolean>> = { deny: true, warn: false, audit: false, off: false };

/** What becomes of a deny rule that cannot tell: refuse and ask to send again, warn, or only say so. */
export type WhenUndetermined = 'retry' | 'warn' | 'note';

type Modes = Readonly<Record<string, Mode>>;

/** The harder the earlier. */
const ranks: Readonly<Record<Mode, number>> = { deny: 0, warn: 1, audit: 2, off: 3 };

/** What is set for the objects of some namespaces. */
export interface Place {
  /** No rule that is not named here is harder than this. */
  readonly defaultMode?: Mode;
  readonly rules: Modes;
}

/** Namespaces that have a label, as `key=value`. */
export interface LabelledPlace extends Place {
  readonly label: string;
}

/** The modes of rules, as they are set. */
export interface ModeSettings {
  /** No rule that is not named is harder than this. */
  readonly defaultMode: Mode;
  readonly rules: Modes;
  readonly namespaces: Readonly<Record<string, Place>>;
  readonly namespaceLabels: readonly LabelledPlace[];
  /** The labels of a namespace; undefined where nobody has told of it yet. Without this, namespaces have none. */
  readonly labelsOf?: ((namespace: string) => Readonly<Record<string, string>> | undefined) | undefined;
}

/** The operator's settings, as far as verdicts depend on them. */
export interface Policy extends ModeSettings {
  readonly undetermined: {
    readonly default: WhenUndetermined;
    readonly rules: Readonly<Record<string, WhenUndetermined>>;
  };
  readonly retry: { readonly defaultSeconds: number; readonly maxAgeSeconds: number };
  readonly concurrency: 'exclusive' | 'compatible' | 'off';
  readonly kubefleet: { readonly version: string };
  /** Times in which no run is started. */
  readonly freeze: readonly Freeze[];
  readonly hubAgent: { readonly users: readonly string[]; readonly confirmed: boolean };
}

/** Every rule in its own mode. */
export const modesAsShipped = { defaultMode: 'deny', rules: {}, namespaces: {}, namespaceLabels: [] } as const;

/** What holds where nobody has set anything. */
export const defaultPolicy: Policy = {
  ...modesAsShipped,
  undetermined: { default: 'retry', rules: {} },
  // Client-go sends again up to 10 times, so 3 s give a busy scheduler half a minute.
  retry: { defaultSeconds: 3, maxAgeSeconds: 120 },
  concurrency: 'exclusive',
  kubefleet: { version: 'auto' },
  freeze: [],
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: true },
};

/** What the settings need to know of a rule. */
interface Named {
  readonly id: string;
}

/** A mode, and where in the settings it comes from; nowhere where it is the rule's own. */
export interface ModeSetting {
  readonly mode: Mode;
  readonly path: readonly string[];
}

type RuleWithMode = Named & { readonly severity: Mode };

/** The mode of a rule for objects of a namespace. */
export function modeOf(settings: ModeSettings, rule: RuleWithMode, namespace: string | undefined): Mode {
  return modeSetting(settings, rule, namespace).mode;
}

/** By the labels of the namespace; of one that was made a moment ago they are not known, and the hardest mode is taken. */
export function modeSetting(settings: ModeSettings, rule: RuleWithMode, namespace: string | undefined): ModeSetting {
  const [first = {}, ...others] = possibleLabels(settings, namespace);
  return others
    .map((labels) => settingFor(settings, rule, { namespace, labels }))
    .reduce(
      (hardest, one) => (ranks[one.mode] < ranks[hardest.mode] ? one : hardest),
      settingFor(settings, rule, { namespace, labels: first }),
    );
}

type Labels = Readonly<Record<string, string>>;

function possibleLabels({ namespaceLabels, labelsOf }: ModeSettings, namespace: string | undefined): readonly Labels[] {
  if (namespace === undefined || namespaceLabels.length === 0 || labelsOf === undefined) return [{}];
  const labels = labelsOf(namespace);
  return labels === undefined ? [{}, ...namespaceLabels.map(({ label }) => labelIn(label))] : [labels];
}

function labelIn(label: string): Labels {
  const [key, value] = labelParts(label);
  return { [key]: value };
}

interface Namespace {
  readonly namespace: string | undefined;
  readonly labels: Labels;
}

/** The first place that says something about the rule decides: the namespace by its name, then by its labels, then all. */
function settingFor(settings: ModeSettings, rule: RuleWithMode, where: Namespace): ModeSetting {
  for (const { place, path } of placesOf(settings, where)) {
    const named = own(place.rules, rule.id);
    if (named !== undefined) return { mode: named, path: [...path, 'rules', rule.id] };
    if (place.defaultMode !== undefined) return capped(settings, rule, { mode: place.defaultMode, path });
  }
  const named = own(settings.rules, rule.id);
  return named === undefined
    ? capped(settings, rule, { mode: settings.defaultMode, path: [] })
    : { mode: named, path: ['rules', rule.id] };
}

/** A rule that a place does not name: as it is set for all, else in its own mode, but no harder than the place has it. */
function capped({ rules }: ModeSettings, rule: RuleWithMode, cap: ModeSetting): ModeSetting {
  const named = own(rules, rule.id);
  const mode = named ?? rule.severity;
  if (ranks[cap.mode] > ranks[mode]) return { mode: cap.mode, path: [...cap.path, 'defaultMode'] };
  if (named !== undefined) return { mode, path: ['rules', rule.id] };
  return { mode, path: cap.path.length === 0 ? [] : [...cap.path, 'defaultMode'] };
}

interface FoundPlace {
  readonly place: Place;
  readonly path: readonly string[];
}

function placesOf(settings: ModeSettings, { namespace, labels }: Namespace): readonly FoundPlace[] {
  if (namespace === undefined) return [];
  const place = own(settings.namespaces, namespace);
  const named = place === undefined ? [] : [{ place, path: ['namespaces', namespace] }];
  if (settings.namespaceLabels.length === 0) return named;
  const labelled = settings.namespaceLabels.map((each, index) => ({
    place: each,
    path: ['namespaceLabels', String(index)],
  }));
  return [...named, ...labelled.filter(({ place: { label } }) => hasLabel(labels, label))];
}

function hasLabel(labels: Readonly<Record<string, string>>, label: string): boolean {
  const [key, value] = labelParts(label);
  return own(labels, key) === value;
}

/** Key and value of `key=value`. */
export function labelParts(label: string): readonly [key: string, value: string] {
  const [key = '', value = ''] = label.split('=');
  return [key, value];
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
