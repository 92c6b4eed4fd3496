import { kubectl } from '../wording/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import type { Change } from '../../engine/change.js';
import { modeOf, refuses, type Policy } from '../../engine/policy.js';
import { appliesTo, defineRule, type Violation } from '../../engine/rule.js';
import { kindIn } from '../../fleet/kinds.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import { conditionOf, type Placement, type PolicySnapshot } from '../../fleet/model.js';
import { selectionProblems } from '../../fleet/resource-selection.js';
import { placementOf, schedulingFor } from '../../fleet/rollout.js';
import type { Scheduling } from '../../fleet/scheduling.js';
import { behaves } from '../../fleet/versions.js';
import selectorsRule from './run-placement-selectors.js';
import { quoted, quotedSentence } from '../../fleet/quoted.js';
import { creationsAndStarts } from '../targets.js';

type Problem = Extract<Scheduling, { is: 'broken' }>;
type Text = Omit<Violation, 'path'>;
type RunWrite = Exclude<Change<'UpdateRun'>, { operation: 'DELETE' }>;

export default defineRule({
  id: 'run-placement-scheduled',
  title: 'The placement of a run is fully scheduled',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-placement-exists'],
  reads: ['Placement', 'PolicySnapshot'],
  why: 'KubeFleet gives up on a run for ever if the scheduler has not finished with its placement at that moment, even where that is a matter of a second.',
  fix: 'Wait until the placement is scheduled, then try again.',

  *check(change, { facts, policy }) {
    const run = change.object;
    const placement = placementOf(run, facts);
    const scheduling = schedulingFor(run, facts);
    if (placement === undefined || scheduling === undefined || scheduling.is === 'scheduled') return;
    const isBad = scheduling.is === 'broken' && scheduling.problem === 'bad selectors';
    if (isBad && isToldElsewhere(change, placement, policy)) return;
    const text =
      scheduling.is === 'broken' ? problemText(scheduling, placement) : settlingText(scheduling.what, placement);
    yield {
      path: ['spec', 'placementName'],
      ...text,
      message: `placement ${quoted(run.spec.placementName)} ${text.message}`,
    };
  },
});

/** Of a run without an index that has yet to be initialized, the rule about selectors says the same, where it is certain. */
function isToldElsewhere(change: RunWrite, placement: Placement, policy: Policy): boolean {
  if (!appliesTo(selectorsRule, change) || change.object.spec.resourceSnapshotIndex !== undefined) return false;
  if (behaves(policy.kubefleet.version, 'snapshots-by-runs') === 'no') return false;
  return hasBadSelectors(placement) && refuses[modeOf(policy, selectorsRule, change.namespace)];
}

function settlingText(what: string, placement: Placement): Text {
  const { name, namespace } = placement.metadata;
  const condition = `--for=condition=${kindIn('Placement', namespace).kind}Scheduled`;
  return {
    message: `is not scheduled yet: ${what}`,
    fix: fixWith(
      'Wait until the placement is scheduled, then try again.',
      kubectl('wait', { family: 'Placement', name, namespace }, condition, '--timeout=60s'),
    ),
    settling: settlingName(placement),
  };
}

function settlingName({ metadata: { name, namespace = '' } }: Placement): string {
  return `scheduling of ${namespace}/${name}`;
}

function hasBadSelectors(placement: Placement): boolean {
  return selectionProblems(placement).length > 0;
}

function problemText({ problem, snapshots }: Problem, placement: Placement): Text {
  const { name, namespace } = placement.metadata;
  const reference = { family: 'Placement', name, namespace } as const;
  const names = quoteList(snapshots.map(({ metadata }) => metadata.name));
  switch (problem) {
    case 'bad selectors':
      return {
        message: 'has never been scheduled, because KubeFleet cannot follow its resource selectors',
        fix: fixWith('Fix spec.resourceSelectors of the placement, then try again.', kubectl('edit', reference)),
        // KubeFleet may have said so half an hour ago.
        ...(!hasBadSelectors(placement) && { settling: settlingName(placement) }),
      };
    case 'no names':
      return {
        message: 'names no cluster: spec.policy.clusterNames is empty, and KubeFleet never schedules that',
        fix: fixWith('Name the clusters that it is to have, then try again.', kubectl('edit', reference)),
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
  const text = messages.join(' ').trim();
  return text === '' ? '' : ` (${quotedSentence(text)})`;
}

function change(verb: string, { metadata }: PolicySnapshot, ...words: readonly string[]): string {
  const { name, namespace } = metadata;
  return kubectl(verb, { family: 'PolicySnapshot', name, namespace }, ...words, '--overwrite');
}

/** There are two of them, where anything at all has gone wrong; nobody pastes more than this. */
const mostCommands = 20;

/** All but the highest index lose the label that makes them the latest. */
function unlabelOlder(snapshots: readonly PolicySnapshot[]): readonly string[] {
  const index = ({ metadata }: PolicySnapshot): number => Number(metadata.labels[fleetKeys.policyIndex] ?? -1);
  const [, ...older] = snapshots.toSorted((a, b) => index(b) - index(a));
  const commands = older
    .slice(0, mostCommands)
    .map((snapshot) => change('label', snapshot, `${fleetKeys.isLatest}=false`));
  return older.length > mostCommands ? [...commands, '# and the others likewise'] : commands;
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
