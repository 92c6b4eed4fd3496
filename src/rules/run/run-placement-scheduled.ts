import { kubectl } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { modeOf } from '../../engine/policy.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { kindIn } from '../../fleet/kinds.js';
import { conditionOf, fleetKeys, type Placement, type PolicySnapshot } from '../../fleet/model.js';
import { placementOf, schedulingFor } from '../../fleet/rollout.js';
import type { Scheduling } from '../../fleet/scheduling.js';
import selectorsRule from './run-placement-selectors.js';

type Fault = Extract<Scheduling, { is: 'faulty' }>;
type Text = Omit<Violation, 'path'>;

export default defineRule({
  id: 'run-placement-scheduled',
  title: 'The placement of a run is fully scheduled',
  severity: 'deny',
  appliesTo: [
    { family: 'UpdateRun', operations: ['CREATE'] },
    { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' },
  ],
  after: ['run-placement-exists'],
  reads: ['Placement', 'PolicySnapshot'],
  why: 'KubeFleet gives up on a run for ever if the scheduler has not finished with its placement at that moment, even where that is a matter of a second.',
  fix: 'Wait until the placement is scheduled, then try again.',

  *check({ object: run, operation, namespace }, { facts, policy }) {
    const placement = placementOf(run, facts);
    const scheduling = schedulingFor(run, facts);
    if (placement === undefined || scheduling === undefined || scheduling.is === 'scheduled') return;
    // Of a new run without an index the rule about selectors says the same.
    const isTold = operation === 'CREATE' && run.spec.resourceSnapshotIndex === undefined;
    const isToldElsewhere = isTold && modeOf(policy, selectorsRule, namespace) === 'deny';
    if (scheduling.is === 'faulty' && scheduling.fault === 'bad selectors' && isToldElsewhere) return;
    const text =
      scheduling.is === 'faulty' ? faultText(scheduling, placement) : settlingText(scheduling.what, placement);
    yield {
      path: ['spec', 'placementName'],
      ...text,
      message: `placement "${run.spec.placementName}" ${text.message}`,
    };
  },
});

function settlingText(what: string, placement: Placement): Text {
  const { name, namespace } = placement.metadata;
  const condition = `--for=condition=${kindIn('Placement', namespace).kind}Scheduled`;
  return {
    message: `is not scheduled yet: ${what}`,
    fix: fixWith(
      'Wait until the placement is scheduled, then try again.',
      kubectl('wait', { family: 'Placement', name, namespace }, condition, '--timeout=60s'),
    ),
    settling: `scheduling of ${namespace ?? ''}/${name}`,
  };
}

function faultText({ fault, snapshots }: Fault, placement: Placement): Text {
  const { name, namespace } = placement.metadata;
  const reference = { family: 'Placement', name, namespace } as const;
  const names = quoteList(snapshots.map(({ metadata }) => metadata.name));
  switch (fault) {
    case 'bad selectors':
      return {
        message: 'has never been scheduled, because KubeFleet cannot follow its resource selectors',
        fix: fixWith('Mend spec.resourceSelectors of the placement, then try again.', kubectl('edit', reference)),
      };
    case 'several latest':
      return {
        message: `has more than one latest policy snapshot: ${names}`,
        fix: fixWith(
          'Leave the label on the newest of them only (this may take a fleet admin), then try again.',
          ...unlabelOlder(snapshots),
        ),
      };
    case 'no index':
      return {
        message: `has policy snapshot ${names} without label ${fleetKeys.policyIndex}`,
        fix: fixWith('Put the label back (this may take a fleet admin), then try again.', ...relabel(snapshots, name)),
      };
    case 'no count':
      return {
        message: `has policy snapshot ${names} without a number in annotation ${fleetKeys.numberOfClusters}`,
        fix: fixWith(
          'Put the number back (this may take a fleet admin), then try again.',
          ...recount(snapshots, placement),
        ),
      };
    case 'unfulfilled':
      return {
        message: `does not get all the clusters that its policy asks for${reasonOf(snapshots)}`,
        fix: fixWith(
          'Ask for fewer clusters or make more of them fit the policy, then try again. This shows which clusters were left out and why:',
          kubectl('describe', reference),
        ),
      };
  }
}

function reasonOf(snapshots: readonly PolicySnapshot[]): string {
  const messages = snapshots.map(({ status }) => conditionOf(status.conditions, 'Scheduled')?.message ?? '');
  const text = messages.join(' ').replaceAll(/\s+/g, ' ').trim();
  return text === '' ? '' : ` (${text})`;
}

function change(verb: string, { metadata }: PolicySnapshot, ...words: readonly string[]): string {
  const { name, namespace } = metadata;
  return kubectl(verb, { family: 'PolicySnapshot', name, namespace }, ...words, '--overwrite');
}

/** All but the highest index lose the label that makes them the latest. */
function unlabelOlder(snapshots: readonly PolicySnapshot[]): readonly string[] {
  const index = ({ metadata }: PolicySnapshot): number => Number(metadata.labels[fleetKeys.policyIndex] ?? -1);
  const [, ...older] = snapshots.toSorted((a, b) => index(b) - index(a));
  return older.map((snapshot) => change('label', snapshot, `${fleetKeys.isLatest}=false`));
}

/** The index is the end of a policy snapshot's name (apis/placement/v1beta1/policysnapshot_types.go). */
function relabel(snapshots: readonly PolicySnapshot[], placement: string): readonly string[] {
  return snapshots.map((snapshot) => {
    const index = snapshot.metadata.name.slice(placement.length + 1);
    return change('label', snapshot, `${fleetKeys.policyIndex}=${/^\d+$/.test(index) ? index : '0'}`);
  });
}

function recount(snapshots: readonly PolicySnapshot[], { spec }: Placement): readonly string[] {
  const wanted = String(spec.policy?.numberOfClusters ?? 0);
  return snapshots.map((snapshot) => change('annotate', snapshot, `${fleetKeys.numberOfClusters}=${wanted}`));
}
