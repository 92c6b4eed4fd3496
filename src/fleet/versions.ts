/**
 * What is not the same in every version of KubeFleet, and nowhere else. Rules ask `behaves`; the table of
 * docs/compatibility.md is written from this one.
 */

/** How KubeFleet behaves from some version on. */
export interface Behaviour {
  /** A sentence: how it is since then. */
  readonly what: string;
  /** A sentence: how it is before that. */
  readonly before: string;
  /** The first version that behaves so; left out where it is wanted upstream and in no version that is known. */
  readonly since?: typeof main | `v${number}.${number}.${number}`;
  /** The rules that ask, by id. */
  readonly rules: Readonly<Record<string, AskingRule>>;
  /** Issues and pull requests of kubefleet-dev/kubefleet. */
  readonly upstream: readonly number[];
}

/** What a rule does on hubs that are not known to behave so. */
export interface AskingRule {
  /** Before the behaviour; where it is in flux, on versions that are newer than this table. */
  readonly otherwise: string;
  /** Where the version is not known; left out where the rule then takes the behaviour for granted. */
  readonly unknown?: string;
}

/** What was built from the main branch after the newest release. */
export const main = 'main';

/** The newest release that the table knows. What is later is taken to behave as main does, except for what is in flux. */
export const newestRelease = 'v0.3.1';

/** The commit date of the main branch that the table knows. */
export const mainDate = '2026-08-20';

/** Runs of older releases have no state: they start at once, and these rules are not made for them. */
export const oldestRelease = 'v0.2.0';

/** Stands for a version that nobody knows. */
export const unknownVersion = 'auto';

const table = {
  'empty-stages-skipped': {
    what: 'A stage without clusters is skipped, and its approvals and waits with it.',
    before: 'Its approvals and waits hold all the same.',
    since: main,
    rules: { 'run-empty-stage': { otherwise: 'says that the approvals and waits hold', unknown: 'says both' } },
    upstream: [609],
  },
  'wait-times-strict': {
    what: 'The API refuses a waitTime that begins with a needless zero, such as 01h.',
    before: 'The API takes it.',
    since: main,
    rules: {
      'strategy-wait-time': { otherwise: 'only warns of the spelling', unknown: 'only warns of the spelling' },
    },
    upstream: [688],
  },
  'snapshots-by-runs': {
    what: 'A run without an index selects the resources of its placement anew.',
    before: 'It takes the latest snapshot there is.',
    since: 'v0.3.0',
    rules: {
      'run-placement-selectors': { otherwise: 'says nothing' },
      'run-placement-scheduled': { otherwise: 'tells of bad selectors itself' },
      'run-prunes-snapshot': { otherwise: 'says nothing' },
      'run-latest-snapshot': { otherwise: 'says nothing' },
    },
    upstream: [462],
  },
  'clusters-kept': {
    what: 'An initialized run keeps its clusters, whichever join, leave or change their labels later.',
    before: 'The clusters are worked out again all the time, and a run that began with others is aborted.',
    rules: {
      'run-plan-unchanged': { otherwise: 'only warns where the clusters have changed' },
      'member-cluster-in-use': { otherwise: 'only warns, and says that the run may be aborted' },
      'eviction-in-use': { otherwise: 'only warns' },
    },
    upstream: [733, 845],
  },
} as const satisfies Record<string, Behaviour>;

export type BehaviourId = keyof typeof table;

export const behaviours: Readonly<Record<BehaviourId, Behaviour>> = table;

/**
 * `assumed`: nobody knows the version, and it is taken to be no older than what is documented. `perhaps`: the version is
 * newer than this table, and upstream means to change just this.
 */
export type Behaves = 'yes' | 'no' | 'assumed' | 'perhaps';

/** Whether a KubeFleet of a version, as the settings or the hub name it, behaves so. */
export function behaves(version: string, id: BehaviourId): Behaves {
  const { since } = behaviours[id];
  if (since === undefined) return isNewer(version) ? 'perhaps' : 'no';
  if (!isVersion(version)) return 'assumed';
  return isSince(version, since) ? 'yes' : 'no';
}

/** Whether a text names a version: an image tag such as `latest`, a branch or a commit does not. */
export function isVersion(text: string): boolean {
  return text === main || releaseOf(text) !== undefined;
}

/** Whether a version is newer than all that the table knows; what is no version is not. */
export function isNewer(version: string): boolean {
  const release = releaseOf(version);
  return release !== undefined && compare(release, releaseOf(newestRelease)) > 0;
}

/** Whether a version is older than those that the rules are made for. */
export function isTooOld(version: string): boolean {
  const release = releaseOf(version);
  return release !== undefined && compare(release, releaseOf(oldestRelease)) < 0;
}

function isSince(version: string, since: string): boolean {
  if (since === main) return version === main || isNewer(version);
  return version === main || compare(releaseOf(version), releaseOf(since)) >= 0;
}

type Release = readonly [major: number, minor: number, patch: number | undefined];

/** A release or one that leads to it, such as v0.4.0-rc.1. Dates and builds of a commit (v0.3.1-7-g1a2b3c4) are none. */
function releaseOf(text: string): Release | undefined {
  if (/-\d+-g[0-9a-f]+(?:-dirty)?$/.test(text)) return undefined;
  const [, major, minor, patch] =
    /^v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?:[-+][-+.0-9A-Za-z]{0,64})?$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return [Number(major), Number(minor), patch === undefined ? undefined : Number(patch)];
}

/** v0.3 is taken for whichever v0.3.x it is compared with. */
function compare(a: Release | undefined, b: Release | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const patches = a[2] === undefined || b[2] === undefined ? 0 : a[2] - b[2];
  return a[0] - b[0] || a[1] - b[1] || patches;
}
