import { kubectl } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { kindIn } from '../../fleet/kinds.js';
import { conditionOf, fleetKeys, type PolicySnapshot, type UpdateRun } from '../../fleet/model.js';
import { schedulingFor } from '../../fleet/rollout.js';
import type { Scheduling, SchedulingFault } from '../../fleet/scheduling.js';

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
  fix: 'Wait until the placement is scheduled, then apply the run again.',

  *check({ object: run, namespace }, { facts }) {
    const scheduling = schedulingFor(run, facts);
    if (scheduling === undefined || scheduling.is === 'scheduled') return;
    yield { path: ['spec', 'placementName'], ...violationOf(scheduling, run, namespace) };
  },
});

type Unscheduled = Exclude<Scheduling, { is: 'scheduled' }>;

function violationOf(scheduling: Unscheduled, run: UpdateRun, namespace: string | undefined): Omit<Violation, 'path'> {
  const name = run.spec.placementName;
  if (scheduling.is === 'faulty') {
    return {
      message: `placement "${name}" ${faultText(scheduling.fault, scheduling.snapshots)}`,
      fix: faultFix(scheduling.fault, { name, namespace, snapshots: scheduling.snapshots }),
    };
  }
  const condition = `${kindIn('Placement', namespace).kind}Scheduled`;
  const wait = kubectl(
    'wait',
    { family: 'Placement', name, namespace },
    `--for=condition=${condition}`,
    '--timeout=60s',
  );
  return {
    message: `placement "${name}" is not scheduled yet: ${scheduling.what}`,
    fix: fixWith('Wait until the placement is scheduled, then apply the run again.', wait),
    settling: `scheduling of ${namespace ?? ''}/${name}`,
  };
}

function faultText(fault: SchedulingFault, snapshots: readonly PolicySnapshot[]): string {
  const names = quoteList(snapshots.map(({ metadata }) => metadata.name));
  const reason = snapshots.map(({ status }) => conditionOf(status.conditions, 'Scheduled')?.message)[0];
  switch (fault) {
    case 'deleting':
      return 'is being deleted';
    case 'several latest':
      return `has more than one latest policy snapshot: ${names}`;
    case 'no index':
      return `has a policy snapshot ${names} without the label ${fleetKeys.policyIndex}`;
    case 'no count':
      return `has a policy snapshot ${names} without a number in the annotation ${fleetKeys.numberOfClusters}`;
    case 'unfulfilled':
      return `does not get the clusters that its policy asks for${reason === undefined ? '' : `: ${reason}`}`;
  }
}

interface FixInput {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly snapshots: readonly PolicySnapshot[];
}

function faultFix(fault: SchedulingFault, { name, namespace, snapshots }: FixInput): string {
  const describe = kubectl('describe', { family: 'Placement', name, namespace });
  switch (fault) {
    case 'deleting':
      return fixWith(
        'Wait until the placement is gone, create it anew, then apply the run again.',
        kubectl('wait', { family: 'Placement', name, namespace }, '--for=delete', '--timeout=5m'),
      );
    case 'several latest':
      return fixWith('Leave the label on the newest policy snapshot only.', ...unlabel(snapshots, namespace));
    case 'unfulfilled':
      return fixWith(
        'Ask for fewer clusters or make more of them fit the policy, wait until the placement is scheduled, then apply the run again. This shows which clusters were left out and why:',
        describe,
      );
    default:
      return fixWith('Change the policy of the placement, so that KubeFleet writes a new policy snapshot.', describe);
  }
}

/** All but the highest index lose the label that makes them the latest. */
function unlabel(snapshots: readonly PolicySnapshot[], namespace: string | undefined): readonly string[] {
  const index = ({ metadata }: PolicySnapshot): number => Number(metadata.labels[fleetKeys.policyIndex] ?? -1);
  const [, ...older] = snapshots.toSorted((a, b) => index(b) - index(a));
  return older.map(({ metadata }) =>
    kubectl(
      'label',
      { family: 'PolicySnapshot', name: metadata.name, namespace },
      `${fleetKeys.isLatest}=false`,
      '--overwrite',
    ),
  );
}
