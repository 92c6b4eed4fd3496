import type { Placement, UpdateRun } from '../fleet/model.js';
import { harmlessJson, quoted } from '../fleet/quoted.js';
import { kubectl } from '../rules/wording/commands.js';
import type { Evidence, Told } from './diagnosis.js';
import { evidenceOf } from './evidence.js';
import { look, type Scene } from './scene.js';
import { again, describePlacement } from './ways-out.js';

/* What happened to the placement of a run that was aborted for it. */

export function placementGone(_: readonly string[], scene: Scene): Told {
  const { run } = scene;
  const { placementName } = run.spec;
  return {
    what: `placement ${quoted(placementName)} was deleted while the run went on`,
    evidence: [
      evidenceOf(run, 'spec.placementName', quoted(placementName)),
      ...placementEvidence(scene, 'metadata.name', () => 'there again'),
    ],
    fix: again(scene, 'Create the placement again and wait until it is scheduled', [describePlacement(run)]),
  };
}

export function notExternal([type = '']: readonly string[], scene: Scene): Told {
  return {
    what: `the rollout strategy of placement ${quoted(scene.run.spec.placementName)} was changed from External to ${quoted(type.replace(/[^A-Za-z].*$/, ''))}`,
    evidence: placementEvidence(scene, 'spec.strategy.type', ({ spec }) =>
      quoted(spec.strategy?.type ?? 'RollingUpdate'),
    ),
    fix: again(scene, 'Set spec.strategy.type of the placement to External', [externally(scene.run)]),
  };
}

function externally({ spec, metadata }: UpdateRun): string {
  const patch = harmlessJson({ spec: { strategy: { type: 'External', rollingUpdate: null } } });
  return kubectl(
    'patch',
    { family: 'Placement', name: spec.placementName, namespace: metadata.namespace },
    '--type=merge',
    '-p',
    patch,
  );
}

export function applyStrategy(_: readonly string[], scene: Scene): Told {
  const { run } = scene;
  return {
    what: `spec.strategy.applyStrategy of placement ${quoted(run.spec.placementName)} was changed while the run went on`,
    evidence: [
      evidenceOf(run, 'status.appliedStrategy', `${harmlessJson(run.status.appliedStrategy ?? {})} then`),
      ...placementEvidence(
        scene,
        'spec.strategy.applyStrategy',
        ({ spec }) => `${harmlessJson(spec.strategy?.applyStrategy ?? {})} now`,
      ),
    ],
    fix: again(scene, ''),
  };
}

export function policy([latest = '', recorded = '']: readonly string[], scene: Scene): Told {
  return {
    what: `the policy of placement ${quoted(scene.run.spec.placementName)} was changed while the run went on (policy snapshot ${quoted(recorded)} then, ${quoted(latest.replace(/,$/, ''))} at its end)`,
    evidence: [
      evidenceOf(
        scene.run,
        'status.policySnapshotIndexUsed',
        quoted(scene.run.status.policySnapshotIndexUsed ?? recorded),
      ),
      ...placementEvidence(scene, 'spec.policy', ({ spec }) => spec.policy?.placementType ?? 'PickAll'),
    ],
    fix: again(scene, ''),
  };
}

export function clusterCount([latest = '', recorded = '']: readonly string[], scene: Scene): Told {
  return {
    what: `the number of clusters that placement ${quoted(scene.run.spec.placementName)} asks for was changed from ${recorded} to ${latest} while the run went on`,
    evidence: [
      evidenceOf(scene.run, 'status.policyObservedClusterCount', recorded),
      ...placementEvidence(scene, 'spec.policy.numberOfClusters', ({ spec }) =>
        String(spec.policy?.numberOfClusters ?? 'none'),
      ),
    ],
    fix: again(scene, ''),
  };
}

function placementEvidence(
  { run, facts }: Scene,
  field: string,
  value: (placement: Placement) => string,
): readonly Evidence[] {
  const seen = look(() => facts.get('Placement', run.spec.placementName));
  return seen.is === 'seen' && seen.value !== undefined ? [evidenceOf(seen.value, field, value(seen.value))] : [];
}
