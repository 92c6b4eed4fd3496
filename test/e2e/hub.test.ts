import { expect, test } from '@jest/globals';
import { kubectl } from './kubectl.js';
import { useHub } from './use-hub.js';

const hub = useHub();

const run = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: { name: release }
spec: { placementName: shop, stagedRolloutStrategyName: rings }
`;

test('a developer creates a run with kubectl and reads it by its short name', async () => {
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin: run })).toEqual({
    code: 0,
    stdout: 'clusterstagedupdaterun.placement.kubernetes-fleet.io/release created\n',
    stderr: '',
  });
  const state = await kubectl(hub(), 'bob', ['get', 'csur', 'release', '-o', 'jsonpath={.spec.state}']);
  expect(state.stdout).toBe('Initialize');
});

test('rights are checked: a developer cannot delete a member cluster, nor the hub agent create a run', async () => {
  expect((await kubectl(hub(), 'alice', ['auth', 'can-i', 'delete', 'memberclusters'])).stdout).toBe('no\n');
  const create = await kubectl(hub(), 'hubAgent', ['create', '-f', '-'], { stdin: run });
  expect(create.stderr).toContain('Forbidden');
});
