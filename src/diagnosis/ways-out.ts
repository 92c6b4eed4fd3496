import { fixWith } from '../engine/message.js';
import { isObjectName } from '../fleet/kinds.js';
import type { ApprovalRequest, UpdateRun } from '../fleet/model.js';
import { harmlessJson, plain, quoted } from '../fleet/quoted.js';
import type { PlacedResource } from '../fleet/reports.js';
import { phaseOf } from '../fleet/run.js';
import { kubectl, otherwise, setState } from '../rules/wording/commands.js';
import { runsLastHint } from '../rules/wording/missing-object.js';
import { replacement } from '../rules/wording/new-run.js';
import { deleteRun } from '../rules/wording/run.js';
import type { Cause } from './diagnosis.js';
import type { Scene } from './scene.js';

/** What to do where a cluster hangs: look, repair, and no more; or give the run up. */
export function afterRepair(sentence: string, run: UpdateRun, more: readonly string[] = []): string {
  const { name, namespace } = run.metadata;
  return fixWith(
    `${sentence} The run then goes on by itself. If the resources themselves are wrong, fix them on the hub, stop or delete this run and create a new one.`,
    describePlacement(run),
    ...more,
    otherwise(setState(name, namespace, 'Stop')),
    otherwise(deleteRun(name, namespace)),
  );
}

export function describePlacement({ spec, metadata }: UpdateRun): string {
  return kubectl('describe', { family: 'Placement', name: spec.placementName, namespace: metadata.namespace });
}

export function describeRunCommand({ metadata: { name, namespace } }: UpdateRun): string {
  return kubectl('describe', { family: 'UpdateRun', name, namespace });
}

/** The hub agent does nothing where it should have done something long ago. */
export function seeHubAgent(): string {
  return fixWith('See that the hub agent runs.', 'kubectl get pods -n fleet-system');
}

/** Another run has the clusters: it is the one to look at. */
export function seeOther(writer: string | undefined, run: UpdateRun): string {
  const { name, namespace } = run.metadata;
  if (writer === undefined || writer === name) {
    return fixWith(
      'Find out who has written to the binding; then create a new run, and delete this one.',
      describePlacement(run),
    );
  }
  return fixWith(
    `Let run ${quoted(writer)} finish. If its clusters are to have the resources of this run, create a new run afterwards.`,
    kubectl('get', { family: 'UpdateRun', name: writer, namespace }),
    otherwise(deleteRun(name, namespace)),
  );
}

/** How to look at a resource on its cluster; nobody here knows the name of the context. */
export function onMember(cluster: string, { kind, name, namespace }: PlacedResource): readonly string[] {
  const names = [cluster, name, ...(namespace === undefined ? [] : [namespace])];
  if (!names.every(isObjectName) || !/^[A-Za-z]+$/.test(kind)) return [];
  const scope = namespace === undefined ? '' : ` -n ${namespace}`;
  return [`# on the member cluster ${plain(cluster)}: kubectl describe ${kind.toLowerCase()} ${name}${scope}`];
}

/** Approves a request, with all that the API asks for: on a hub without the guard nobody fills it in. */
export function approve({ metadata }: ApprovalRequest, now: number): string {
  const { name, namespace, generation = 1 } = metadata;
  const condition = {
    ...{ type: 'Approved', status: 'True', reason: 'approved', message: 'approved' },
    lastTransitionTime: `${new Date(now).toISOString().slice(0, 19)}Z`,
    observedGeneration: generation,
  };
  const patch = harmlessJson({ status: { conditions: [condition] } });
  return kubectl(
    'patch',
    { family: 'ApprovalRequest', name, namespace },
    ...['--subresource=status', '--type=merge', '-p', patch],
  );
}

/** Nothing is wrong yet, and somebody may want to look. */
export function lookMeanwhile(run: UpdateRun): string {
  return fixWith('Nothing has to be done yet. This shows more:', describePlacement(run));
}

/** A run that is over cannot be revived. What to do comes first; the new run starts from the fleet as it is then. */
export function again({ run, facts }: Scene, first: string, more: readonly string[] = []): string {
  const instead = isOver(run) ? 'create a new run, and delete this one.' : 'delete this run, and create a new one.';
  const sentence = first === '' ? instead.replace(/^./, (letter) => letter.toUpperCase()) : `${first}; then ${instead}`;
  return fixWith(sentence, ...more, ...newRun(run, facts));
}

/** Rules on the index of a run, which nobody can change; the new run does without. */
const indexRules: ReadonlySet<string> = new Set(['run-snapshot-exists', 'run-snapshot-index']);

/** What a rule says to whoever would create the run, said of one that KubeFleet never looks at again. */
export function rightedAndAgain({ run, facts }: Scene, { rule = '', fix }: Pick<Cause, 'rule' | 'fix'>): string {
  const [sentence = '', ...lines] = ofStored(fix).split('\n');
  if (!indexRules.has(rule)) {
    return fixWith(sentence, ...lines, '# Then create a new run, and delete this one:', ...newRun(run, facts));
  }
  return fixWith(
    'Create a new run, with an index that there is, or without one to roll out the resources as they are now; and delete this one.',
    ...lines.filter((line) => /^(?:kubectl|#) /.test(line)),
    ...newRun(run, facts, {}),
  );
}

/** The fix of a rule without what it says to whoever sends a run: this one is stored. */
export function ofStored(fix: string): string {
  const [sentence = '', ...lines] = fix.split('\n').filter((line) => !runsLastHint.includes(line));
  return fixWith(sentence.replace(/(?:,| and) (?:then )?try again(?=[.:])/, ''), ...forShell(lines));
}

/** A manifest among commands, ready for a shell as they are. */
function forShell(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith('apiVersion: '));
  if (from < 0) return lines;
  const size = lines.slice(from).findIndex((line) => !/^(?: |[a-zA-Z]+:)/.test(line));
  const end = size < 0 ? lines.length : from + size;
  return [
    ...lines.slice(0, from),
    "kubectl create -f - <<'EOF'",
    ...lines.slice(from, end),
    'EOF',
    ...lines.slice(end),
  ];
}

/** Ready for a shell, as the commands around it are. */
function newRun(
  run: UpdateRun,
  facts: Scene['facts'],
  { resourceSnapshotIndex: index }: Pick<UpdateRun['spec'], 'resourceSnapshotIndex'> = run.spec,
): readonly string[] {
  const { placementName, stagedRolloutStrategyName } = run.spec;
  const spec = {
    placementName,
    stagedRolloutStrategyName,
    ...(index !== undefined && { resourceSnapshotIndex: index }),
  };
  const lines = forShell(replacement(run, spec, facts));
  if (isOver(run)) return lines;
  // As long as it is there, it holds the placement.
  return [deleteRun(run.metadata.name, run.metadata.namespace), ...lines.slice(0, -1)];
}

function isOver(run: UpdateRun): boolean {
  return phaseOf(run) === 'failed';
}
