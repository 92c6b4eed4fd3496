import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { refusalsOf } from '../../src/engine/verdict.js';
import { decode } from '../../src/fleet/decode.js';
import { Facts } from '../../src/fleet/facts.js';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { kindIn, type Family, type KindOfFamily } from '../../src/fleet/kinds.js';
import type { Families } from '../../src/fleet/model.js';
import { planFor } from '../../src/fleet/rollout.js';
import { catalogue } from '../../src/rules/index.js';

/** What a real hub agent did with one run; see README.md beside this file. */
export interface RecordedCase {
  readonly id: string;
  readonly event: 'create' | 'start';
  readonly namespace?: string;
  readonly run: unknown;
  readonly world: {
    readonly memberClusters: readonly unknown[];
    readonly placement: unknown;
    readonly policySnapshots: readonly unknown[];
    readonly bindings: readonly unknown[];
    readonly resourceSnapshots: readonly unknown[];
    readonly strategy: unknown;
    readonly otherRuns: readonly unknown[];
  };
  readonly outcome: {
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly message: string }[];
    readonly stages?: readonly { readonly name: string; readonly clusters: readonly string[] }[];
    readonly deletion?: readonly string[];
  };
}

export function readCases(version: string): readonly RecordedCase[] {
  const file = new URL(`./${version}.jsonl.gz`, import.meta.url);
  return gunzipSync(readFileSync(file))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedCase);
}

export function decodeIn<F extends Family>(family: F, namespace: string | undefined, json: unknown): Families[F] {
  return decode(kindIn(family, namespace) as KindOfFamily & { family: F }, json).object;
}

export function fleetOf({ world, namespace }: RecordedCase): IndexedFleet {
  const fleet = new IndexedFleet('complete');
  const put = (family: Family, objects: readonly unknown[]): void => {
    for (const json of objects) fleet.put(family, decodeIn(family, namespace, json));
  };
  put('MemberCluster', world.memberClusters);
  put('Placement', world.placement === null ? [] : [world.placement]);
  put('PolicySnapshot', world.policySnapshots);
  put('Binding', world.bindings);
  put('ResourceSnapshot', world.resourceSnapshots);
  put('UpdateStrategy', world.strategy === null ? [] : [world.strategy]);
  put('UpdateRun', world.otherRuns);
  return fleet;
}

function changeOf({ event, run, namespace }: RecordedCase): Change<'UpdateRun'> {
  const object = decodeIn('UpdateRun', namespace, run);
  const write = {
    family: 'UpdateRun',
    name: object.metadata.name,
    namespace,
    subresource: undefined,
    requestVersion: 'v1beta1',
    user: 'alice',
    dryRun: false,
  } as const;
  if (event === 'create') return { ...write, operation: 'CREATE', object };
  const started = { ...object, spec: { ...object.spec, state: 'Run' as const } };
  return { ...write, operation: 'UPDATE', object: started, oldObject: object };
}

/**
 * The rules that refuse the run of a case on its version of KubeFleet. The recorded runs share placements on purpose, so
 * concurrency is off.
 */
export function refusingRules(recorded: RecordedCase, version: string): readonly string[] {
  const verdict = evaluate(changeOf(recorded), {
    rules: catalogue,
    fleet: fleetOf(recorded),
    policy: { ...defaultPolicy, concurrency: 'off', kubefleet: { version } },
    now: Date.parse('2026-11-16T10:00:00Z'),
  });
  if (verdict.failures.length > 0)
    throw new Error(`a rule threw at ${recorded.id}`, { cause: verdict.failures[0]?.error });
  return [...new Set(refusalsOf(verdict).map(({ rule }) => rule))];
}

/** The stages and the deletion list that stageguard expects of the controller. */
export function plannedStages(recorded: RecordedCase): Pick<RecordedCase['outcome'], 'stages' | 'deletion'> {
  const facts = new Facts(fleetOf(recorded), recorded.namespace);
  const plan = planFor(decodeIn('UpdateRun', recorded.namespace, recorded.run), facts);
  return {
    stages: plan?.stages.map(({ stage, clusters }) => ({ name: stage.name, clusters })) ?? [],
    deletion: plan?.deletion ?? [],
  };
}
