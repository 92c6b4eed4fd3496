import fc from 'fast-check';
import { kindIn, kindsOf, type Family } from '../../../src/fleet/kinds.js';
import type { Answer, Api } from './api.js';
import { doubtfulSelectors, evictionSpec, memberSpec, placementSpec, storedSpecs } from './placement-writes.js';
import { labelSelector, mostly, optional, text } from './write-parts.js';

/** One write, sent as a server-side dry run. */
export interface Write {
  readonly family: Family;
  readonly namespace: string | undefined;
  readonly version: string;
  readonly object: Record<string, unknown>;
  /** The stored object that is patched; absent where one is created. */
  readonly patch?: { readonly name: string; readonly subresource?: 'status' };
}

export function pathOf({ family, namespace, version, patch }: Write): string {
  const { plural, group } = kindIn(family, namespace);
  const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const rest = patch === undefined ? '' : `/${patch.name}${patch.subresource ? `/${patch.subresource}` : ''}`;
  return `/apis/${group}/${version}${scope}/${plural}${rest}`;
}

export function sendDry(api: Api, write: Write): Promise<Answer> {
  const path = `${pathOf(write)}?dryRun=All`;
  return write.patch === undefined ? api.create(path, write.object) : api.patch(path, 'merge', write.object);
}

/** What patches are sent to: a run in each state, a strategy, an approval, placements of each type, and so on. */
export function storedObjects(): readonly Write[] {
  return [undefined, 'team-a'].flatMap((namespace) => {
    const write = (family: Family, name: string, spec: object): Write => ({
      family,
      namespace,
      version: 'v1beta1',
      object: manifest({ family, namespace, version: 'v1beta1' }, name, spec),
    });
    const others = Object.entries<Readonly<Record<string, object>>>(storedSpecs).flatMap(([family, stored]) =>
      Object.entries(stored).map(([name, spec]) => write(family as Family, name, spec)),
    );
    return [
      ...others.filter(({ family }) => namespace === undefined || kindIn(family, namespace).namespaced),
      ...['Initialize', 'Run', 'Stop'].map((state) => write('UpdateRun', `in-${state.toLowerCase()}`, run({ state }))),
      write('UpdateRun', 'with-index', run({ resourceSnapshotIndex: '3' })),
      write('UpdateStrategy', 'rings', { stages: [{ name: 'canary' }] }),
      write('ApprovalRequest', 'gate', { parentStageRollout: 'release', targetStage: 'canary' }),
    ];
  });
}

function run(more: object): object {
  return { placementName: 'shop', stagedRolloutStrategyName: 'rings', ...more };
}

type Where = Pick<Write, 'family' | 'namespace' | 'version'>;

function manifest({ family, namespace, version }: Where, name: unknown, spec: unknown): Record<string, unknown> {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const { group, kind } = kindIn(family, namespace);
  return { apiVersion: `${group}/${version}`, kind, metadata, spec };
}

/** A place to write to: a family, a scope, and a version that is served there. */
function where(families: readonly Family[]): fc.Arbitrary<Where> {
  const all = families.flatMap((family) =>
    kindsOf(family).flatMap(({ namespaced, versions }) =>
      versions.map((version) => ({ family, namespace: namespaced ? 'team-a' : undefined, version })),
    ),
  );
  return fc.constantFrom(...all);
}

const runSpec = optional({
  placementName: mostly(text, 'x'.repeat(256), 5, null),
  stagedRolloutStrategyName: mostly(text, 'x'.repeat(300), {}, null),
  resourceSnapshotIndex: mostly(fc.constantFrom('', '0', '17', '00', 'x'), 3, null),
  state: mostly(fc.constantFrom('Initialize', 'Run', 'Stop'), 'run', '', null, 1),
});

const task = optional({
  type: mostly(fc.constantFrom('Approval', 'TimedWait'), 'Wait', null),
  waitTime: mostly(
    fc.constantFrom('1h', '30m', '1.5s', '0s', '1h30m', '9999999h'),
    '',
    '5',
    '01h',
    '-1h',
    'x1h',
    '0x',
    3,
  ),
});

const stage = optional(
  {
    name: mostly(fc.constantFrom('canary', '1', 'x'.repeat(63)), 'eu-west', 'Canary', '', 'x'.repeat(64), null),
    labelSelector: mostly(labelSelector, null, []),
    sortingLabelKey: mostly(text, 1),
    maxConcurrency: mostly(
      fc.constantFrom(1, 5, '1%', '100%', 3_000_000_000),
      0,
      -1,
      '0%',
      '101%',
      '5',
      '1.5%',
      1.5,
      null,
    ),
    beforeStageTasks: fc.array(task, { maxLength: 2 }),
    afterStageTasks: fc.array(task, { maxLength: 3 }),
  },
  ['name'],
);

const strategySpec = optional({
  stages: mostly(
    fc.array(stage, { maxLength: 3 }),
    null,
    {},
    Array(31).fill({ name: 'a' }),
    Array(32).fill({ name: 'a' }),
  ),
});

const approvalSpec = optional({
  parentStageRollout: mostly(text, 1, null),
  targetStage: mostly(text, [], null),
});

const condition = optional(
  {
    type: mostly(fc.constantFrom('Approved', 'ApprovalAccepted', 'example.com/Seen'), '', 'with space', 5),
    status: mostly(fc.constantFrom('True', 'False', 'Unknown'), 'Yes', true),
    reason: mostly(fc.constantFrom('approved', 'a_b,c:d_'), '', 'looks good!', 'x:', 'x'.repeat(1025)),
    message: mostly(fc.constantFrom('', 'fine'), 5, 'x'.repeat(32_769)),
    lastTransitionTime: mostly(fc.constant('2026-01-02T03:04:05Z'), 'yesterday', '', null),
    observedGeneration: mostly(fc.constantFrom(0, 1, 99), -1, '1', 1.5),
  },
  ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
);
const conditions = mostly(fc.array(condition, { maxLength: 2 }), ['x'], { a: 1 }, 'x', null);

const stageStatus = optional(
  {
    stageName: mostly(text, 1),
    clusters: mostly(fc.constantFrom([], [{ clusterName: 'eu-1', conditions: [] }]), [{}], null, 'x'),
    beforeStageTaskStatus: mostly(
      fc.constantFrom([], [{ type: 'Approval', approvalRequestName: 'a' }]),
      [{}],
      [{}, {}],
    ),
    afterStageTaskStatus: mostly(
      fc.constantFrom([{ type: 'TimedWait', conditions: [] }]),
      Array(3).fill({ type: 'Approval' }),
    ),
    conditions,
  },
  ['stageName', 'clusters'],
);

const runStatus = optional({
  conditions,
  stagesStatus: mostly(fc.array(stageStatus, { maxLength: 2 }), 'x', null),
  deletionStageStatus: mostly(stageStatus, null, {}),
  stagedUpdateStrategySnapshot: strategySpec,
  policySnapshotIndexUsed: mostly(text, 1),
  policyObservedClusterCount: mostly(fc.constantFrom(0, 3), '3', 1.5),
  resourceSnapshotIndexUsed: mostly(text, 0),
  appliedStrategy: mostly(fc.constantFrom({}, { type: 'ServerSideApply' }), { type: 'Other' }, 'x'),
});

/** What is written of each family, in some version of it. */
const specs = {
  UpdateRun: () => runSpec,
  UpdateStrategy: () => strategySpec,
  ApprovalRequest: () => approvalSpec,
  Placement: () => placementSpec,
  Eviction: () => evictionSpec,
  MemberCluster: memberSpec,
} as const satisfies Partial<Record<Family, (version: string) => fc.Arbitrary<unknown>>>;
type Written = keyof typeof specs;
const written = Object.keys(specs) as Written[];
const specFor = ({ family, version }: Where): fc.Arbitrary<unknown> => specs[family as Written](version);

const name = mostly(
  fc.constantFrom('new', 'x'.repeat(63)),
  'x'.repeat(64),
  'x'.repeat(127),
  'x'.repeat(128),
  'Upper',
  '',
);

const creation = where(written).chain((place) =>
  fc
    .tuple(name, mostly(specFor(place), null, 'x', 5))
    .map(([called, spec]): Write => ({ ...place, object: manifest(place, called, spec) })),
);

const names: Record<Written, readonly string[]> = {
  UpdateRun: ['in-initialize', 'in-run', 'in-stop', 'with-index'],
  UpdateStrategy: ['rings'],
  ApprovalRequest: ['gate'],
  Placement: Object.keys(storedSpecs.Placement),
  Eviction: Object.keys(storedSpecs.Eviction),
  MemberCluster: Object.keys(storedSpecs.MemberCluster),
};

const change = where(written).chain((place) =>
  fc
    .tuple(fc.constantFrom(...names[place.family as Written]), specFor(place))
    .map(([stored, spec]): Write => ({ ...place, object: { spec }, patch: { name: stored } })),
);

const statusChange = where(['UpdateRun', 'ApprovalRequest']).chain((place) => {
  const status = place.family === 'UpdateRun' ? runStatus : optional({ conditions });
  return fc
    .tuple(fc.constantFrom(...names[place.family as Written]), mostly<unknown>(status, 'x', 5))
    .map(([stored, value]): Write => ({
      ...place,
      object: { status: value },
      patch: { name: stored, subresource: 'status' },
    }));
});

/** What is seldom hit by chance. */
const chosen: readonly Write[] = kindsOf('Placement').flatMap(({ namespaced }) => {
  const namespace = namespaced ? 'team-a' : undefined;
  const at = (family: Family): Where => ({ family, namespace, version: 'v1beta1' });
  const created = (family: Family, spec: object): Write => ({
    ...at(family),
    object: manifest(at(family), 'new', spec),
  });
  return [
    created('UpdateStrategy', { stages: [{ name: 'canary', maxConcurrency: 0 }] }),
    ...doubtfulSelectors.map((resourceSelectors) => created('Placement', { resourceSelectors })),
    { ...at('Placement'), object: { spec: { policy: null } }, patch: { name: 'all' } },
  ];
});

const oldest: Where = { family: 'UpdateRun', namespace: undefined, version: 'v1alpha1' };
const longest: Write = {
  ...oldest,
  object: manifest(oldest, 'x'.repeat(128), run({ resourceSnapshotIndex: '0' })),
};

/** The same writes every time, so that what differs is found again. */
export function generatedWrites(count: number): readonly Write[] {
  return [longest, ...chosen, ...fc.sample(fc.oneof(creation, change, statusChange), { numRuns: count, seed: 20_260 })];
}
