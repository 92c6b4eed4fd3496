import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseManifests } from '../../src/sources/manifests/parse.js';
import { isCommand } from '../../src/rules/wording/commands.js';
import { checkDiagnosis, type Expected } from '../support/diagnosis-table.js';
import { diagnosisOf, hubNamed, hubs, inNamespace, type Hub, type Json } from '../support/hubs.js';

const waits: Expected = {
  state: 'waiting for an approval',
  health: 'waiting',
  cause: /nobody has approved .*-after-canary/,
  evidence: /ApprovalRequest status\.conditions\[Approved\]/,
  fix: /kubectl patch (?:cluster)?approvalrequests \S+-after-canary .*--subresource=status/,
};
const rejected: Expected = {
  ...waits,
  health: 'wrong',
  cause: /answered with Approved=False .*canary shows errors/,
  fix: /kubectl patch (?:cluster)?stagedupdateruns .*"Stop"/,
};
const notStarted: Expected = {
  state: 'not started',
  health: 'waiting',
  cause: /nobody has started/,
  evidence: /StagedUpdateRun spec\.state/,
  fix: /kubectl patch .*"Run"/,
};
const stopped: Expected = { ...notStarted, state: 'stopped', cause: /somebody has stopped/ };
const failed = {
  state: 'failed to initialize',
  health: 'wrong',
  evidence: /status\.conditions\[Initialized\]/,
} as const;
const placementDeleted = { health: 'wrong', evidence: /StagedUpdateRun spec\.placementName/ } as const;

const table: Readonly<Record<string, Expected>> = {
  'not-started': notStarted,
  'not-started-ns': notStarted,
  stopped,
  'stopped-ns': stopped,
  'missing-snapshot': { ...failed, cause: /no resource snapshot "7"/, fix: /or without one/ },
  'not-external': { ...failed, cause: /spec\.strategy\.type RollingUpdate/, fix: /External/ },
  'no-strategy': { ...failed, cause: /"rings-no-strategy" does not exist/, fix: /create/ },
  'cluster-in-no-stage': { ...failed, cause: /no stage .* selects .*"eu-stg-1"/, fix: /kubectl/ },
  'sorting-label': { ...failed, cause: /label "wave".*"eu-prod-1"/, fix: /kubectl label/ },
  'not-scheduled': { ...failed, cause: /does not get all the clusters/, fix: /kubectl describe/ },
  'no-status': {
    state: 'no status',
    health: 'wrong',
    cause: /waitTime "0\.5s"/,
    evidence: /spec\.stagedRolloutStrategyName/,
    fix: /at least one second/,
  },
  'waits-for-approval-after': waits,
  'waits-for-approval-after-ns': waits,
  'approved-for-wrong-generation': {
    ...waits,
    health: 'wrong',
    cause: /approved, but with observedGeneration 0/,
    evidence: /ApprovalRequest status\.conditions\[Approved\]\.observedGeneration/,
    fix: /"observedGeneration":1/,
  },
  'approval-rejected': rejected,
  'approval-rejected-ns': rejected,
  'timed-wait': {
    state: 'waiting for a time to pass',
    health: 'waiting',
    cause: /1h0m0s after stage "staging" ends at 2026-11-18 11:59:19 UTC/,
    evidence: /StagedUpdateRun status\.stagesStatus\[staging\]\.conditions\[Progressing\]/,
  },
  'placement-deleted-ns': {
    ...placementDeleted,
    state: 'aborted',
    cause: /was deleted while the run went on/,
    fix: /Create the placement again/,
  },
  'placement-deleted': {
    ...placementDeleted,
    state: 'waiting for a time to pass',
    cause: /will give the run up .*does not exist/,
    fix: /create/,
  },
  'preempted-ns': {
    state: 'aborted',
    health: 'wrong',
    cause: /run "preempted-second" took over cluster "eu-stg-1" in stage "staging"/,
    evidence: /ResourceBinding status\.conditions\[RolloutStarted\]/,
    fix: /kubectl get stagedupdateruns preempted-second/,
  },
  'stuck-not-available': {
    state: 'stuck',
    health: 'wrong',
    cause: /"eu-stg-1", Deployment app-stuck-not-available\/web is not available \(for 5m 44s\)/,
    evidence: /Work status\.manifestConditions\[Deployment app-stuck-not-available\/web\]/,
    fix: /kubectl describe (?:cluster)?resourceplacements plc-stuck-not-available/,
  },
  'stuck-apply-failed': {
    state: 'stuck',
    health: 'wrong',
    cause: /cannot be applied .*image is not signed/,
    evidence: /Binding status\.conditions\[Applied\]/,
    fix: /kubectl describe (?:cluster)?resourceplacements plc-stuck-apply-failed/,
  },
  'stopped-while-another-run-finished': {
    state: 'stopped',
    health: 'wrong',
    cause: /must not be resumed .*different versions/,
    evidence: /StagedUpdateRun spec\.state/,
    fix: /Create a new run/,
  },
  'removing-clusters': {
    state: 'removing clusters',
    health: 'well',
    cause: /takes the resources from cluster "eu-prod-1"/,
    evidence: /status\.deletionStageStatus\.clusters\[eu-prod-1\]/,
  },
  succeeded: { state: 'succeeded', health: 'well' },
  'under-way': { state: 'under way', health: 'well' },
};

test('every recorded hub is in the table', () => {
  expect(hubs.map(({ scenario }) => scenario).sort()).toEqual(Object.keys(table).sort());
});

describe.each(Object.entries(table))('%s', (scenario, expected) => {
  const hub = hubNamed(scenario);
  test('as it was recorded', () => {
    checkDiagnosis(diagnosisOf(hub), expected);
  });
  if (hub.namespace !== undefined) return;
  test('in a namespace', () => {
    const found = diagnosisOf(inNamespace(hub));
    checkDiagnosis(found, expected);
    const commands = found.causes.flatMap(({ fix }) => fix.split('\n').slice(1)).filter(isCommand);
    for (const line of commands)
      if (/kubectl \w+ (?!clusterresourceplacements)(?:staged|approval|resource)/.test(line))
        expect(line).toContain('-n team-a');
  });
});

describe('a run that is over', () => {
  const over = Object.entries(table).filter(([, { state }]) => state === 'failed to initialize' || state === 'aborted');
  test.each(over.filter(([name]) => name !== 'preempted-ns'))('%s: has a new one ready to paste', (scenario) => {
    const [{ fix } = { fix: '' }] = diagnosisOf(hubNamed(scenario)).causes;
    const [, yaml = ''] = /\nkubectl create -f - <<'EOF'\n([^]*?)\nEOF\n/.exec(fix) ?? [];
    const { documents } = parseManifests('new', yaml);
    const { run } = hubNamed(scenario);
    expect(documents[0]?.json).toMatchObject({ metadata: { name: `${run}-2` }, spec: { state: 'Run' } });
    expect(documents[0]?.json).not.toMatchObject({ spec: { resourceSnapshotIndex: '7' } });
    expect(fix).toMatch(/create a new run/i);
    expect(fix).not.toMatch(/try again|If one tool applies both/);
    // All that is not the new run is a command, or a comment.
    for (const line of fix.replace(`<<'EOF'\n${yaml}\nEOF`, '').split('\n').slice(1))
      expect(line).toMatch(/^(?:kubectl|#) /);
  });
});

test('a run that is lost and still holds its placement is deleted before the new one is created', () => {
  const [{ fix } = { fix: '' }] = diagnosisOf(hubNamed('placement-deleted')).causes;
  expect(fix).toMatch(
    /\nkubectl delete clusterstagedupdateruns placement-deleted-release\nkubectl create -f - <<'EOF'\n/,
  );
});

test('two runs of one placement are not both waited for: one is stopped', () => {
  const hub = hubNamed('under-way');
  const own = hub.items.find(({ kind }) => kind === 'ClusterStagedUpdateRun') ?? {};
  const other = { ...own, metadata: { ...(own['metadata'] as Json), name: 'other', uid: 'other' } };
  const [{ what, fix } = { what: '', fix: '' }] = diagnosisOf({ ...hub, items: [...hub.items, other] }).causes;
  expect(what).toContain('is in use by run "other"');
  expect(fix.split('\n').filter(isCommand).slice(1)).toEqual([
    `kubectl patch clusterstagedupdateruns ${hub.run} --type=merge -p '{"spec":{"state":"Stop"}}'`,
  ]);
  expect(fix).toContain('# or: kubectl patch clusterstagedupdateruns other');
});

test('a run without a status is tried again by KubeFleet itself', () => {
  const { causes, expect: expected } = diagnosisOf(hubNamed('no-status'));
  expect(causes[0]?.fix).not.toContain('try again');
  expect(expected.join()).toContain('tries a run without a status again by itself');
});

test('a run under way that is well is not told how to give it up', () => {
  const [{ fix } = { fix: '' }] = diagnosisOf(hubNamed('under-way')).causes;
  expect(fix).toMatch(/^Nothing has to be done yet.*\nkubectl describe clusterresourceplacements \S+$/);
});

const without = (hub: Hub, ...kinds: string[]): Hub => ({
  ...hub,
  items: hub.items.filter(({ kind }) => !kinds.includes(String(kind))),
});

describe('a fact that is left out', () => {
  test('without bindings, a stuck run is told by what KubeFleet says of it', () => {
    const found = diagnosisOf(without(hubNamed('stuck-apply-failed'), 'ClusterResourceBinding', 'Work'));
    expect(found.state).toBe('stuck');
    expect(found.unseen.join()).toContain('the bindings of placement "plc-stuck-apply-failed"');
    expect(
      found.causes.some(({ what }) => what.includes('KubeFleet says: "The updateRun is stuck waiting for eu-stg-1')),
    ).toBe(true);
    expect(found.causes.some(({ what }) => what.includes('no binding'))).toBe(false);
  });
  test.each(Object.entries(table).filter(([, { state }]) => state !== 'removing clusters'))(
    'without bindings, nothing is concluded from that: %s',
    (scenario, { state, health }) => {
      const hub = hubNamed(scenario);
      const found = diagnosisOf(without(hub, 'ClusterResourceBinding', 'ResourceBinding', 'Work'));
      // What the bindings alone show is not known, and that is said.
      const isShownByBindings = scenario === 'stopped-while-another-run-finished';
      expect({ state: found.state, health: found.health }).toEqual({
        state,
        health: isShownByBindings ? 'waiting' : health,
      });
      for (const { what } of found.causes)
        expect(what).not.toMatch(/has lost|no binding|are scheduled|is not any more/);
    },
  );
  test('without bindings, a run that failed over its clusters is told in the words of KubeFleet', () => {
    const found = diagnosisOf(without(hubNamed('cluster-in-no-stage'), 'ClusterResourceBinding'));
    expect(found.causes[0]?.what).toContain('KubeFleet says: ');
    expect(found.causes[0]?.what).toContain('some clusters are not placed in any stage');
    expect(found.unseen).toContain('the bindings of placement "plc-cluster-in-no-stage"');
  });
  test('without works, the binding still names the resource', () => {
    const found = diagnosisOf(without(hubNamed('stuck-not-available'), 'Work'));
    expect(found.causes[0]?.what).toContain('Deployment app-stuck-not-available/web is not available');
    expect(found.unseen).toContain('the works of these clusters');
  });
  test('without the approval request, nobody is said to have approved or refused', () => {
    const found = diagnosisOf(without(hubNamed('approved-for-wrong-generation'), 'ClusterApprovalRequest'));
    expect(found.state).toBe('waiting for an approval');
    expect(found.unseen.join()).toContain('the approval request "waits-for-approval-after-release-after-canary"');
  });
});

describe('time', () => {
  test('a wait that is long over is told as that', () => {
    const hub = hubNamed('timed-wait');
    expect(diagnosisOf(hub, Date.parse('2026-11-18T12:00:00Z')).causes[0]?.what).toContain(
      'was over at 2026-11-18 11:59:19 UTC; KubeFleet looks every minute',
    );
    const late = diagnosisOf(hub, Date.parse('2026-11-18T13:00:00Z'));
    expect(late.health).toBe('wrong');
    expect(late.causes[0]?.what).toContain('hub agent may be down');
  });
  test('a removal that takes longer than an update may is wrong', () => {
    const hub = hubNamed('removing-clusters');
    expect(diagnosisOf(hub, Date.parse('2026-11-18T11:10:00Z')).health).toBe('wrong');
  });
});

test('a hub that is broken anywhere is diagnosed all the same', () => {
  const run =
    ({ run: name }: Hub) =>
    (item: Json): boolean =>
      (item['metadata'] as Json)['name'] === name && String(item['kind']).endsWith('UpdateRun');
  fc.assert(
    fc.property(fc.constantFrom(...hubs), fc.infiniteStream(fc.nat(1_000)), (hub, numbers) => {
      const next = (): number => numbers.next().value as number;
      const items = hub.items.map((item) => {
        const broken = mutated(item, next) as Json;
        return run(hub)(item)
          ? { ...broken, apiVersion: item['apiVersion'], kind: item['kind'], metadata: item['metadata'] }
          : broken;
      });
      const found = diagnosisOf({ ...hub, items });
      expect(found.doing).not.toBe('');
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 150) },
  );
});

const junk: readonly unknown[] = [null, 5, '', 'x\n\u001b[8m$(id)', [], {}, [null], { a: { b: 1 } }];

/** One value in twenty gone or of another type. */
function mutated(value: unknown, next: () => number): unknown {
  const dice = next();
  if (dice < 10) return undefined;
  if (dice < 50) return junk[dice % junk.length];
  if (Array.isArray(value)) return value.map((item: unknown) => mutated(item, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mutated(inner, next)]));
}
