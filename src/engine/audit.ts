import { Facts } from '../fleet/facts.js';
import { kindIn, scopeOf, type Family } from '../fleet/kinds.js';
import { conditionOf, type ApprovalRequest, type Families, type UpdateRun } from '../fleet/model.js';
import { isInitialized, isOver } from '../fleet/run.js';
import type { FleetState } from '../fleet/state.js';
import { isTakenUp } from '../fleet/taken-up.js';
import type { Change } from './change.js';
import { kubectl, setApproved } from './commands.js';
import { evaluate, type World } from './evaluate.js';
import { fixWith } from './message.js';
import type { Finding, Verdict } from './verdict.js';

/** A fleet of which everything can be named. */
export interface WholeFleet extends FleetState {
  all<F extends Family>(family: F): readonly Families[F][];
}

/** What is judged of a fleet, and how often: for progress. */
export interface Audited {
  readonly verdict: Verdict;
  readonly done: number;
  readonly total: number;
}

/** The hub agent takes up a run within a second; a restart of it takes up to 60 s more (leader election). */
const longestMinutes = 2;

/**
 * Judges what is stored, by the rules that judge what is written: a strategy as if it were created now, a run that is not
 * initialized likewise, any other run as if it were started now. What no write could be refused for is added.
 */
export function* audit(fleet: WholeFleet, world: Omit<World, 'fleet'>): Generator<Audited, void, undefined> {
  const runs = fleet.all('UpdateRun').filter((run) => !isOver(run));
  const changes = [...fleet.all('UpdateStrategy').map(creationOf('UpdateStrategy')), ...runs.map(changeOfRun)];
  const approvals = fleet.all('ApprovalRequest');
  const total = changes.length + approvals.length;
  let done = 0;
  for (const change of changes) {
    const verdict = evaluate(change, { ...world, fleet });
    const more = change.family === 'UpdateRun' && change.operation === 'CREATE' ? ofRun(change.object, world.now) : [];
    yield { verdict: { ...verdict, findings: [...verdict.findings, ...more] }, done: ++done, total };
  }
  for (const approval of approvals) yield { verdict: verdictOf(approval, fleet), done: ++done, total };
}

/** Placements whose bindings an audit asks for. */
export function placementsToBind(
  fleet: WholeFleet,
): readonly { readonly placement: string; readonly namespace: string | undefined }[] {
  const open = fleet.all('UpdateRun').filter((run) => !isOver(run));
  const named = open.map(({ spec, metadata }) => ({
    placement: spec.placementName,
    namespace: scopeOf('Binding', metadata.namespace),
  }));
  return [...new Map(named.map((one) => [JSON.stringify(one), one])).values()];
}

function write<F extends Family>(family: F, { metadata }: Families[F]) {
  const { name, namespace } = metadata;
  return { family, name, namespace, subresource: undefined, requestVersion: 'v1beta1', user: '', dryRun: false };
}

function creationOf<F extends Family>(family: F): (object: Families[F]) => Change {
  return (object) => ({ ...write(family, object), operation: 'CREATE', object }) as unknown as Change;
}

function changeOfRun(run: UpdateRun): Change {
  if (!isInitialized(run)) return creationOf('UpdateRun')(run);
  const inState = (state: 'Initialize' | 'Run'): UpdateRun => ({ ...run, spec: { ...run.spec, state } });
  return {
    ...write('UpdateRun', run),
    operation: 'UPDATE',
    object: inState('Run'),
    oldObject: inState('Initialize'),
  };
}

function ofRun(run: UpdateRun, now: number): readonly Finding[] {
  const created = Date.parse(run.metadata.creationTimestamp ?? '');
  if (isTakenUp(run) || !(now - created > longestMinutes * 60_000)) return [];
  return [
    finding('audit-run-not-taken-up', {
      path: [],
      message: `nothing has taken up this run, created at ${run.metadata.creationTimestamp ?? ''}`,
      fix: 'Check that the hub agent runs and has enableStagedUpdateRunAPIs set.',
    }),
  ];
}

function verdictOf(approval: ApprovalRequest, fleet: FleetState): Verdict {
  const { name, namespace } = approval.metadata;
  return {
    subject: { kind: kindIn('ApprovalRequest', namespace).kind, namespace, name },
    findings: [...leftover(approval, fleet), ...unheard(approval, fleet)],
    failures: [],
    undetermined: [],
  };
}

function runOf(approval: ApprovalRequest, fleet: FleetState): UpdateRun | undefined {
  return new Facts(fleet, approval.metadata.namespace).get('UpdateRun', approval.spec.parentStageRollout);
}

/** KubeFleet deletes the approvals of a run with the run; one that stayed opens the gate of the next run of that name. */
function leftover(approval: ApprovalRequest, fleet: FleetState): readonly Finding[] {
  if (runOf(approval, fleet) !== undefined) return [];
  const { name, namespace } = approval.metadata;
  return [
    finding('audit-approval-leftover', {
      path: ['spec', 'parentStageRollout'],
      message: `there is no run "${approval.spec.parentStageRollout}"; a new run of that name would find this approval in its way`,
      fix: fixWith('Delete it.', kubectl('delete', { family: 'ApprovalRequest', name, namespace })),
    }),
  ];
}

/** An approval counts only if it names the generation of its object (KubeFleet updaterun/execution.go). */
function unheard(approval: ApprovalRequest, fleet: FleetState): readonly Finding[] {
  const { name, namespace, generation = 0 } = approval.metadata;
  const approved = conditionOf(approval.status.conditions, 'Approved');
  const accepted = conditionOf(approval.status.conditions, 'ApprovalAccepted');
  const run = runOf(approval, fleet);
  if (approved?.status !== 'True' || accepted?.status === 'True' || run === undefined || isOver(run)) return [];
  const { observedGeneration } = approved;
  if (observedGeneration === generation) return [];
  const given = observedGeneration === undefined ? 'no observedGeneration' : `observedGeneration ${observedGeneration}`;
  return [
    finding('audit-approval-not-heard', {
      path: ['status', 'conditions'],
      message: `is approved, but with ${given} where ${generation} is asked for, so that run "${run.metadata.name}" goes on waiting`,
      fix: fixWith('Approve it again.', setApproved(name, namespace)),
    }),
  ];
}

function finding(rule: string, about: Pick<Finding, 'path' | 'message' | 'fix'>): Finding {
  return { rule, severity: 'warn', outcome: 'violated', retry: false, ...about };
}
