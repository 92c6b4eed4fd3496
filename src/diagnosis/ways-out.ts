import { fixWith } from '../engine/message.js';
import { isObjectName } from '../fleet/kinds.js';
import type { ApprovalRequest, UpdateRun } from '../fleet/model.js';
import { harmlessJson, plain, quoted } from '../fleet/quoted.js';
import type { PlacedResource } from '../fleet/reports.js';
import { kubectl, otherwise, setState } from '../rules/wording/commands.js';
import { replacement } from '../rules/wording/new-run.js';
import { deleteRun } from '../rules/wording/run.js';
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

/** A run that is over cannot be revived. What to do comes first; the new run starts from the fleet as it is then. */
export function again({ run, facts }: Scene, first: string, more: readonly string[] = []): string {
  const { placementName, stagedRolloutStrategyName, resourceSnapshotIndex } = run.spec;
  const spec = {
    placementName,
    stagedRolloutStrategyName,
    ...(resourceSnapshotIndex !== undefined && { resourceSnapshotIndex }),
  };
  const sentence =
    first === '' ? 'Create a new run, and delete this one.' : `${first}; then create a new run, and delete this one.`;
  return fixWith(sentence, ...more, ...replacement(run, spec, facts));
}
