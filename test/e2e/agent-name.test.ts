import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import { hooks } from '../../src/http/hooks.js';
import { readRequest } from './approvals/prepared.js';
import type { Answer } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { within } from './fixes/ground.js';
import { startGuard, type Decision, type Guard } from './harness/guard.js';
import { expectStored } from './harness/hub.js';
import { startHubAgent, type HubAgent } from './harness/hub-agent.js';
import { conditionNow, type Condition } from './harness/hub-objects.js';
import { kubectl, type Ran } from './harness/kubectl.js';
import { pathOf, type Scope } from './harness/paths.js';
import { useHub } from './harness/use-hub.js';
import { users } from './harness/users.js';
import {
  bothScopes,
  conditionOf,
  joinMembers,
  objectOf,
  placement,
  run,
  scheduled,
  stage,
  strategy,
  yamlOf,
} from './harness/world.js';

const hub = useHub();
let guard: Guard | undefined;
let agent: HubAgent | undefined;

/** The operator has given the guard a name that is not the hub agent's. */
const hubAgentUsers = ['system:serviceaccount:fleet-system:other-hub-agent-sa'];

const stages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('production', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1s' }] }),
];

beforeAll(async () => {
  guard = await startGuard(hub(), { hubAgentUsers, config: { hubAgent: { users: hubAgentUsers } } });
  agent = startHubAgent(hub());
  await joinMembers(hub());
}, 90_000);
afterAll(async () => {
  await agent?.stop();
  await guard?.stop();
});

const inBothScopes = async (work: (scope: Scope) => Promise<void>): Promise<void> => {
  await Promise.all(bothScopes.map(([, scope]) => work(scope)));
};

/** Starts a run that waits at its gate in the end. */
async function start(scope: Scope, name: string): Promise<void> {
  const before = yamlOf(placement(scope, name), strategy(scope, name, stages));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin: before })).toMatchObject({ code: 0 });
  await scheduled(hub(), scope, name);
  const stdin = yamlOf(run(scope, name, { placementName: name, stagedRolloutStrategyName: name }));
  expect(await kubectl(hub(), 'alice', ['apply', '-f', '-'], { stdin })).toMatchObject({ code: 0 });
  await eventually(`${name} waits at its gate`, async () => {
    const { status } = await hub()
      .api('admin')
      .get(pathOf('ApprovalRequest', scope, gateOf(name)));
    return status === 200 || undefined;
  });
  // Until the run has noted its request, an approval is asked to wait.
  await eventually(`${name} has noted its request`, async () => {
    const { body } = await hub()
      .api('admin')
      .get(pathOf('UpdateRun', scope, name));
    return JSON.stringify(body).includes('ApprovalRequestCreated') || undefined;
  });
}

const gateOf = (name: string): string => `${name}-after-canary`;

function approve(scope: Scope, name: string): Promise<Ran> {
  const { plural } = kindIn('ApprovalRequest', scope);
  const bare = '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}';
  const flags = ['--subresource=status', '--type=merge', '-p', bare];
  return kubectl(hub(), 'bob', ['patch', plural, gateOf(name), ...within(scope), ...flags]);
}

const asked = (): readonly Decision[] => (guard?.decisions() ?? []).filter(({ user }) => user === users.hubAgent.name);

test('journey: under a wrong name the hub agent rolls out all the same, and is only warned', async () => {
  await inBothScopes(async (scope) => {
    await start(scope, 'release');
    expect(await approve(scope, 'release')).toMatchObject({ code: 0 });
    await conditionOf(hub(), 'UpdateRun', scope, ['release', 'Succeeded']);
  });
  expect(agent?.refusals()).toEqual([]);
  expect(asked().length).toBeGreaterThan(0);
  expect(asked().filter(({ decision }) => decision !== 'admit')).toEqual([]);
  // Every rule that singles out the hub agent has seen it, and has kept still.
  expect([...new Set(asked().flatMap(({ rules }) => rules))].sort()).toEqual([
    'approval-conditions',
    'approval-created-by-controller',
    'run-status-owner',
  ]);
}, 120_000);

/** Sets ApprovalAccepted on a request that nobody has approved, beside whatever else. */
function forge(scope: Scope, name: string, version: string, ...beside: readonly Condition[]): Promise<Answer> {
  const conditions = [...beside, conditionNow('ApprovalAccepted', { observedGeneration: 1 })];
  const path = pathOf('ApprovalRequest', scope, `${gateOf(name)}/status`, version);
  return hub().api('alice').patch(path, 'merge', { status: { conditions } });
}

const versionsIn = (scope: Scope): readonly string[] => kindIn('ApprovalRequest', scope).versions;
const yes = conditionNow('Approved', { observedGeneration: 1 });

test('the metrics and the log say why', async () => {
  const metrics = (await guard?.metrics()) ?? '';
  expect(metrics).toMatch(/^stageguard_hub_agent_confirmed 0$/m);
  for (const rule of ['approval-conditions', 'approval-created-by-controller', 'run-status-owner']) {
    const counted = new RegExp(`^stageguard_findings_total\\{rule="${rule}",severity="(\\w+)"`, 'gm');
    expect([...metrics.matchAll(counted)].map(([, severity]) => severity)).toEqual(['warn']);
  }
  expect(guard?.log()).toContain('ServiceAccount fleet-system/other-hub-agent-sa does not exist');
});

test('none of its writes was for a webhook that refuses where the guard is silent', () => {
  const failing = hooks.filter(({ failurePolicy }) => failurePolicy === 'Fail').map(({ name }) => name.split('.')[0]);
  expect(failing).toEqual(['run-starts', 'strategies', 'approval-grants', 'approval-grants']);
  const seen = new Set(
    asked().map(({ kind, endpoint, operation, subresource = '' }) =>
      [endpoint, operation, kind.replace('Cluster', ''), subresource].join(' ').trim(),
    ),
  );
  expect([...seen].sort()).toEqual(
    [
      'validate CREATE ApprovalRequest',
      // Its finalizer, and with it an empty index; never a state.
      'validate UPDATE StagedUpdateRun',
      'validate UPDATE StagedUpdateRun status',
      // ApprovalAccepted beside an Approved that stays as it was.
      'validate UPDATE ApprovalRequest status',
    ].sort(),
  );
});

test('whoever the hub agent is, it accepts nothing that nobody has approved', async () => {
  await inBothScopes(async (scope) => {
    await start(scope, 'held');
    for (const version of versionsIn(scope)) {
      for (const answer of [await forge(scope, 'held', version), await forge(scope, 'held', version, yes)]) {
        expect(answer.status).toBe(403);
        expect(answer.body['message']).toContain('denied the request: refused by 1 rule');
        expect(answer.body['message']).toContain('[approval-conditions] ');
      }
    }
  });
}, 60_000);

test('journey: the same with every guard killed half-way', async () => {
  await inBothScopes((scope) => start(scope, 'again'));
  // The agent is away while the approval is given, so that all it does about it comes after the guard.
  await agent?.stop();
  await inBothScopes(async (scope) => {
    expect(await approve(scope, 'again')).toMatchObject({ code: 0 });
  });
  await guard?.kill();
  await inBothScopes(async (scope) => {
    const { status } = await readRequest(hub(), scope, gateOf('again'));
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Approved']);
  });
  agent = startHubAgent(hub());
  await inBothScopes(async (scope) => {
    await conditionOf(hub(), 'ApprovalRequest', scope, [gateOf('again'), 'ApprovalAccepted']);
    await conditionOf(hub(), 'UpdateRun', scope, ['again', 'Succeeded']);
    // It also gets its finalizer off a run that is deleted.
    const { plural } = kindIn('UpdateRun', scope);
    expect(await kubectl(hub(), 'alice', ['delete', plural, 'again', ...within(scope)])).toMatchObject({ code: 0 });
  });
  expect(agent.refusals()).toEqual([]);
}, 120_000);

test('without a guard nobody accepts in the place of the hub agent, and the gate stays shut', async () => {
  await inBothScopes(async (scope) => {
    for (const version of versionsIn(scope)) {
      const alone = await forge(scope, 'held', version);
      expect(alone.body['message']).toContain('failed calling webhook "approval-grants.validate.stageguard.io"');
      const both = await forge(scope, 'held', version, yes);
      expect(both.body['message']).toContain('failed calling webhook "approval-grants.mutate.stageguard.io"');
      expect([alone.status, both.status]).toEqual([500, 500]);
    }
    // A status that comes with a creation is dropped, so that no request is accepted from the start.
    const forged = {
      ...objectOf('ApprovalRequest', scope, 'next-after-canary', { parentStageRollout: 'next', targetStage: 'canary' }),
      status: { conditions: [yes, conditionNow('ApprovalAccepted', { observedGeneration: 1 })] },
    };
    expectStored(await hub().api('alice').create(pathOf('ApprovalRequest', scope), forged));
    for (const gate of [gateOf('held'), 'next-after-canary']) {
      expect((await readRequest(hub(), scope, gate)).status).toBeUndefined();
    }
    const { body } = await hub()
      .api('admin')
      .get(pathOf('UpdateRun', scope, 'held'));
    expect(JSON.stringify(body)).not.toContain('"ApprovalRequestApproved"');
  });
});

test('without a guard an approval is refused rather than given in vain', async () => {
  await inBothScopes(async (scope) => {
    const { code, stderr } = await approve(scope, 'release');
    expect(code).toBe(1);
    expect(stderr).toContain('failed calling webhook "approval-grants.mutate.stageguard.io"');
  });
});
