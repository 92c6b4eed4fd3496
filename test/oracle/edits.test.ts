import { afterAll, describe, expect, test } from '@jest/globals';
import type { Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { sameJson } from '../../src/fleet/json.js';
import type { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { scopeOf, type Family } from '../../src/fleet/kinds.js';
import type { FleetObject, UpdateRun } from '../../src/fleet/model.js';
import { catalogue } from '../../src/rules/index.js';
import { decodeIn, fleetOf, readCases, type RecordedCase } from './cases.js';

/*
 * Where a run was aborted at its start, something had been edited since it was created, and whoever did it should have
 * been told; where it was not, nobody. That holds for every recorded case: none was aborted for what no write shows.
 */
const editRules = catalogue.filter(({ id }) => id === 'placement-in-use' || id === 'member-cluster-in-use');

interface Edit {
  readonly family: Family;
  readonly before: FleetObject | undefined;
  readonly after: FleetObject | undefined;
}

function editsBetween(created: RecordedCase, started: RecordedCase): readonly Edit[] {
  const objects = ({ world, namespace }: RecordedCase): ReadonlyMap<string, FleetObject> => {
    const placements = world.placement === null ? [] : [decodeIn('Placement', namespace, world.placement)];
    const members = world.memberClusters.map((json) => decodeIn('MemberCluster', namespace, json));
    return new Map(
      [...placements, ...members].map((object) => [`${familyOf(object)} ${object.metadata.name}`, object]),
    );
  };
  const [then, now] = [objects(created), objects(started)];
  return [...new Set([...then.keys(), ...now.keys()])].flatMap((key) => {
    const [before, after] = [then.get(key), now.get(key)];
    const object = after ?? before;
    return object === undefined || isSame(before, after) ? [] : [{ family: familyOf(object), before, after }];
  });
}

function familyOf({ kind }: FleetObject): Family {
  return kind === 'MemberCluster' ? 'MemberCluster' : 'Placement';
}

/** Statuses and versions are not what people write. */
function isSame(before: FleetObject | undefined, after: FleetObject | undefined): boolean {
  const written = (object: FleetObject | undefined): unknown =>
    object && { labels: object.metadata.labels, spec: 'spec' in object ? object.spec : undefined };
  return sameJson(written(before), written(after));
}

function changeFor({ family, before, after }: Edit, namespace: string | undefined): Change {
  const operation = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
  return {
    family,
    operation,
    name: (after ?? before)?.metadata.name ?? '',
    namespace: scopeOf(family, namespace),
    subresource: undefined,
    requestVersion: 'v1beta1',
    user: 'alice',
    dryRun: false,
    ...(after && { object: after }),
    ...(before && { oldObject: before }),
  } as unknown as Change;
}

/** `deny` or `warn` for an edit of the world in which a run was created, with the run as it stood in that state. */
function severityOf(edit: Edit, created: RecordedCase, run: UpdateRun): string | undefined {
  const fleet: IndexedFleet = fleetOf(created);
  fleet.put('UpdateRun', run);
  const verdict = evaluate(changeFor(edit, created.namespace), {
    rules: editRules,
    fleet,
    policy: defaultPolicy,
    now: Date.parse('2026-11-16T12:00:00Z'),
  });
  if (verdict.failures.length > 0)
    throw new Error(`a rule threw at ${created.id}`, { cause: verdict.failures[0]?.error });
  const ofRun = verdict.findings.filter(({ message }) => message.includes(`${run.metadata.name}"`));
  return ofRun.find(({ severity }) => severity === 'deny')?.severity ?? ofRun[0]?.severity;
}

const tally = new Map<string, number>();

function count(what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

function nameOf({ namespace, run }: RecordedCase): string {
  return `${namespace ?? ''}/${(run as { metadata: { name: string } }).metadata.name}`;
}

describe.each(['main', 'v0.3.1'])('edits under a run of %s', (version) => {
  const cases = readCases(version);
  const created = new Map(cases.filter(({ event }) => event === 'create').map((each) => [nameOf(each), each]));
  const started = cases.filter(({ event }) => event === 'start').map((each) => [each.id, each] as const);

  test.each(started)('%s is foretold to whoever edits', (_, recorded) => {
    const origin = created.get(nameOf(recorded));
    if (origin === undefined) throw new Error(`no creation of ${nameOf(recorded)} was recorded`);
    const isAborted = recorded.outcome.conditions.some(
      ({ type, status }) => type === 'Succeeded' && status === 'False',
    );
    const edits = editsBetween(origin, recorded);
    const run = decodeIn('UpdateRun', recorded.namespace, recorded.run);
    const executing = { ...run, spec: { ...run.spec, state: 'Run' as const } };
    const told = edits.map((edit) => ({
      family: edit.family,
      edit: `${edit.family} ${edit.before === undefined ? 'joins' : edit.after === undefined ? 'goes' : 'changes'}`,
      initialized: severityOf(edit, origin, run),
      executing: severityOf(edit, origin, executing),
    }));
    const harmful = told.filter(({ executing: severity }) => severity !== undefined);
    const end = isAborted ? 'aborted' : 'runs';
    for (const { edit, executing: severity } of told) count(`${version} ${end}: ${edit}, ${severity ?? 'silence'}`);
    expect(harmful.length > 0).toBe(isAborted);
    expect(harmful.map(({ executing: severity }) => severity)).toEqual(
      harmful.map(({ family }) => (family === 'Placement' ? 'deny' : 'warn')),
    );
    // As long as the run is not started, whoever edits has the choice.
    expect(harmful.map(({ initialized }) => initialized)).toEqual(harmful.map(() => 'warn'));
  });
});

afterAll(() => {
  const lines = [...tally].sort().map(([what, number]) => `  ${String(number).padStart(4)}  ${what}`);
  process.stdout.write(`edits under recorded runs:\n${lines.join('\n')}\n`);
});
