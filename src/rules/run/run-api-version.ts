import { shellWord } from '../../engine/commands.js';
import { longestRunName, shortenRunName, yamlText } from '../../engine/manifest.js';
import { fixWith } from '../../engine/message.js';
import type { Creation, Update } from '../../engine/change.js';
import { isHubAgent } from '../../engine/policy.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { kindIn, storageVersion } from '../../fleet/kinds.js';

type Judged = Creation<'UpdateRun' | 'UpdateStrategy'> | Update<'UpdateRun' | 'UpdateStrategy'>;

/** The oldest version; its schemas lack fields, and the API server drops from the stored object what they lack. */
const lossyVersion = 'v1alpha1';

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
  return { path: ['apiVersion'], message, fix: betterWrite(change) };
}

function betterWrite({ family, operation, subresource, name, namespace }: Judged): string {
  if (subresource === 'status') return 'Leave the status of a run to KubeFleet.';
  const kind = kindIn(family, namespace);
  const apiVersion = `apiVersion: ${kind.group}/${storageVersion}`;
  if (operation === 'CREATE') return fixWith('Create it with this line in its manifest instead.', apiVersion);
  const resource = `${kind.plural}.${storageVersion}.${kind.group}`;
  const scope = namespace === undefined ? '' : ` -n ${shellWord(namespace)}`;
  const edit = `kubectl edit ${resource} ${shellWord(name)}${scope}`;
  return fixWith('Use this line in its manifest, or this command.', apiVersion, `# or: ${edit}`);
}

function longName(name: string): Violation {
  return {
    path: ['metadata', 'name'],
    message: `the name has ${String(name.length)} characters, and KubeFleet never starts a run with more than ${String(longestRunName)}`,
    fix: fixWith(
      'Give the run a shorter name, such as this.',
      'metadata:',
      `  name: ${yamlText(shortenRunName(name))}`,
    ),
  };
}
