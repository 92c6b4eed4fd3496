import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hooks } from '../../src/http/hooks.js';
import { startGuard, type Guard } from './guard.js';
import { startHubAgent, type HubAgent } from './hub-agent.js';
import { kubectl } from './kubectl.js';
import { useHub } from './use-hub.js';
import { users } from './users.js';
import { bothScopes, conditionOf, joinMembers, placement, run, scheduled, stage, strategy, yamlOf } from './world.js';

const hub = useHub();
let guard: Guard | undefined;
let agent: HubAgent | undefined;

/** The operator has given the guard a name that is not the hub agent's. */
const hubAgentUsers = ['system:serviceaccount:fleet-system:other-hub-agent-sa'];

beforeAll(async () => {
  guard = await startGuard(hub(), { hubAgentUsers, config: { hubAgent: { users: hubAgentUsers } } });
  agent = startHubAgent(hub());
  await joinMembers(hub());
}, 90_000);
afterAll(async () => {
  await agent?.stop();
  await guard?.stop();
});

/** Half the rollout is behind a gate, so that there is time to take the guard away. */
const stages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('production', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1s' }] }),
];

async function start(scope: string | undefined): Promise<void> {
  const before = yamlOf(placement(scope, 'shop'), strategy(scope, 'shop', stages));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin: before })).toMatchObject({ code: 0 });
  await scheduled(hub(), scope, 'shop');
  const spec = { placementName: 'shop', stagedRolloutStrategyName: 'shop' };
  const stdin = yamlOf(run(scope, 'release', spec));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
}

test('journey: under a wrong name of the hub agent a rollout goes on, even where the guard is gone', async () => {
  for (const [, scope] of bothScopes) await start(scope);
  for (const [, scope] of bothScopes) {
    const within = scope === undefined ? [] : ['-n', scope];
    await conditionOf(hub(), 'UpdateRun', scope, ['release', 'Initialized']);
    const approve = '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}';
    const kind = scope === undefined ? 'careq' : 'areq';
    const patch = [
      'patch',
      kind,
      'release-after-canary',
      ...within,
      '--subresource=status',
      '--type=merge',
      '-p',
      approve,
    ];
    await kubectl(hub(), 'admin', ['wait', '--for=create', `${kind}/release-after-canary`, ...within]);
    expect(await kubectl(hub(), 'bob', patch)).toMatchObject({ code: 0 });
  }
  await guard?.stop();
  for (const [, scope] of bothScopes) await conditionOf(hub(), 'UpdateRun', scope, ['release', 'Succeeded']);
  expect(agent?.errors.filter((text) => /^Error: (?:403|429|5)/.test(text))).toEqual([]);
}, 60_000);

test('none of its writes was for a webhook that refuses where the guard is silent', () => {
  const failing = hooks.filter(({ failurePolicy }) => failurePolicy === 'Fail').map(({ name }) => name.split('.')[0]);
  expect(failing).toEqual(['run-starts', 'strategies', 'approval-grants', 'approval-grants']);
  const asked = (guard?.decisions() ?? []).filter(({ user }) => user === users.hubAgent.name);
  const seen = new Set(
    asked.map(({ operation, subresource = '', endpoint }) => `${endpoint} ${operation} ${subresource}`),
  );
  // A creation of a run or strategy, a mutation of a status: these would be the ones.
  expect([...seen].filter((it) => it.startsWith('mutate UPDATE status'))).toEqual([]);
  expect(asked.filter(({ kind, operation }) => kind.endsWith('Run') && operation === 'CREATE')).toEqual([]);
});
