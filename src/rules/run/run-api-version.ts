import { kubectl, otherwise } from '../wording/commands.js';
import { longestRunName, shortenRunName, yamlText } from '../wording/manifest.js';
import { hubAgentUsers, isCreation, isThroughAlpha } from '../../engine/cel.js';
import { fixWith } from '../../engine/message.js';
import type { Creation, Update } from '../../engine/change.js';
import { isHubAgent } from '../../engine/policy.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { kindIn, lossyVersion, storageVersion } from '../../fleet/kinds.js';

type Judged = Creation<'UpdateRun' | 'UpdateStrategy'> | Update<'UpdateRun' | 'UpdateStrategy'>;

const losses = {
  UpdateRun: 'drops spec.state from the stored run, so that the run goes back to Initialize',
  UpdateStrategy: 'drops beforeStageTasks and maxConcurrency from every stage, and so the approvals before stages',
};

export default defineRule({
  id: 'run-api-version',
  title: 'Runs and strategies are written in v1 or v1beta1',
  severity: 'deny',
  appliesTo: [
    { family: 'UpdateRun', operations: ['CREATE', 'UPDATE'] },
    { family: 'UpdateRun', operations: ['UPDATE'], subresource: 'status' },
    { family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] },
  ],
  reads: [],
  judges: 'write',
  why:
    'A write through v1alpha1 silently removes fields that this version does not know: the state of a run, the snapshot ' +
    'index in its status, the gates before stages. It also lets run names pass that are longer than 63 characters, ' +
    'which the controller can never update.',
  fix: 'Write the object with apiVersion placement.kubernetes-fleet.io/v1beta1.',

  floor: {
    kind: 'shape',
    validations: [
      {
        expression: `!(${isThroughAlpha}) || request.userInfo.username in ${hubAgentUsers} || has(object.metadata.deletionTimestamp)`,
        message: `a write through ${lossyVersion} drops fields of the stored object. Write it with apiVersion placement.kubernetes-fleet.io/${storageVersion}.`,
      },
      {
        expression: `!(${isCreation}) || !request.resource.resource.endsWith('runs') || size(object.metadata.name) <= ${String(longestRunName)}`,
        message: `KubeFleet never starts a run whose name has more than ${String(longestRunName)} characters. Give it a shorter name.`,
      },
    ],
  },

  *check(change, { policy }) {
    const isLossy = change.requestVersion === lossyVersion && !isHubAgent(policy, change.user);
    // What is being deleted has nothing left to lose, and its finalizers must be removable.
    if (isLossy && change.object.metadata.deletionTimestamp === undefined) yield lossyWrite(change);
    const isNewRun = change.family === 'UpdateRun' && change.operation === 'CREATE';
    if (isNewRun && change.name.length > longestRunName) yield longName(change.name);
  },
});

function lossyWrite(change: Judged): Violation {
  const message = `a write through ${lossyVersion} ${losses[change.family]}`;
  const { group } = kindIn(change.family, change.namespace);
  const edit = { of: 'value', to: `${group}/${storageVersion}` } as const;
  return { path: ['apiVersion'], message, fix: betterWrite(change), edit };
}

function betterWrite({ family, operation, subresource, name, namespace }: Judged): string {
  if (subresource === 'status') return 'Leave the status of a run to KubeFleet.';
  const kind = kindIn(family, namespace);
  const apiVersion = `apiVersion: ${kind.group}/${storageVersion}`;
  if (operation === 'CREATE') return fixWith('Create it with this line in its manifest instead.', apiVersion);
  const edit = kubectl('edit', { family, name, namespace, version: storageVersion });
  return fixWith('Use this line in its manifest, or this command.', apiVersion, otherwise(edit));
}

function longName(name: string): Violation {
  return {
    path: ['metadata', 'name'],
    message: `the name has ${String(name.length)} characters, and KubeFleet never starts a run with more than ${String(longestRunName)}`,
    edit: { of: 'value', to: shortenRunName(name) },
    fix: fixWith(
      'Give the run a shorter name, such as this.',
      'metadata:',
      `  name: ${yamlText(shortenRunName(name))}`,
    ),
  };
}
