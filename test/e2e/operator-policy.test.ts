import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Json } from './harness/api.js';
import type { Site } from './fixes/case.js';
import { storeRequest } from './approvals/prepared.js';
import { running } from './fixes/ground.js';
import { eventually } from './harness/eventually.js';
import { expectStored } from './harness/hub.js';
import { conditionNow } from './harness/hub-objects.js';
import { kubectl } from './harness/kubectl.js';
import { pathOf, type Scope } from './harness/paths.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, joinMembers, stage, strategy } from './harness/world.js';

/* What the operator lets people do in spite of the rules, on a hub with the guard and the floor. */

const it = useGuardedHub({
  withFloor: true,
  audited: ['alice', 'bob'],
  // Of all gates, whoever has the right may get past this one.
  config: { exemptions: { gates: ['approval-target-alive'] } },
});
beforeAll(() => joinMembers(it().hub));

const messageOf = ({ status, body }: Answer): string => `${status}: ${String(body['message'])}`;
const annotation = 'stageguard.io/bypass';

/** What no strategy may have. */
const waitsNot = { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] };

/** Gives alice the right in the words of the refusal: its role is pasted, and bound. */
async function grantAsTold(refused: Answer, scope: Scope): Promise<void> {
  const { hub } = it();
  const [, told = ''] = String(refused.body['message']).split(/Role:\n/);
  const lines = told.split('\n').filter((line) => line.startsWith('    '));
  const role = await kubectl(hub, 'admin', ['apply', '-f', '-'], {
    stdin: lines.map((line) => line.slice(4)).join('\n'),
  });
  expect(role).toMatchObject({ code: 0 });
  const [, name = ''] = /name: (\S+)/.exec(told) ?? [];
  const binding =
    scope === undefined
      ? ['clusterrolebinding', name, `--clusterrole=${name}`]
      : ['rolebinding', name, `--role=${name}`, '-n', scope];
  expect(await kubectl(hub, 'admin', ['create', ...binding, '--user=alice'])).toMatchObject({ code: 0 });
}

/** Of the last request of a user to a path that was admitted. */
function auditOf(user: string, path: string): Readonly<Record<string, string>> {
  const events = it()
    .hub.audit()
    .filter(({ user: { username }, requestURI, responseStatus }) => {
      return username === user && requestURI === path && (responseStatus?.code ?? 0) < 300;
    });
  return events.at(-1)?.annotations ?? {};
}

// What is granted for all of the hub holds in namespaces as well, so that these come first.
describe.each(bothScopes.toReversed())('%s', (_where, scope) => {
  const waits = (name: string, bypass?: string): Json => {
    const draft = strategy(scope, name, [stage('canary', waitsNot)]);
    const annotations = bypass === undefined ? {} : { [annotation]: bypass };
    return { ...draft, metadata: { ...(draft['metadata'] as object), annotations } };
  };
  const path = pathOf('UpdateStrategy', scope);
  const asks = 'strategy-wait-time: drill of the on-call rota';

  test('a developer without the right is refused with what to ask for, and passes once she has it', async () => {
    const { hub } = it();
    const refused = await hub.api('alice').create(path, waits('drill', asks));
    expect(messageOf(refused)).toMatch(/^403: .*\n\[strategy-wait-time\] /s);
    expect(messageOf(refused)).toContain('[strategy-wait-time] is not exempted: "alice" may not bypass it.');
    await grantAsTold(refused, scope);
    // What was asked before is remembered for some seconds.
    const admitted = await eventually('the right counts', async () => {
      const answer = await hub.api('alice').create(path, waits('drill', asks));
      return answer.status === 201 ? answer : undefined;
    });
    expect(admitted.warnings).toEqual([
      'exempted by stageguard.io/bypass from strategy-wait-time: "drill of the on-call rota"',
      expect.stringMatching(/^\[strategy-wait-time\] /),
    ]);
    expect(auditOf('alice', path)).toMatchObject({
      'strategies.validate.stageguard.io/bypass': 'strategy-wait-time: "drill of the on-call rota"',
    });
  });

  test('it is hers alone, for that rule alone, and needs the annotation', async () => {
    const { hub } = it();
    const bob = await hub.api('bob').create(path, waits('bobs', asks));
    const other = await hub.api('alice').create(path, waits('others', 'strategy-size: drill'));
    const without = await hub.api('alice').create(path, waits('none'));
    for (const answer of [bob, other, without]) expect(messageOf(answer)).toMatch(/^403: .*\[strategy-wait-time\] /s);
  });

  test('a deletion counts by what is stored, with an end to it, and by who deletes', async () => {
    const { hub, agent } = it();
    const site: Site = { hub, agent, scope, name: 'in-use' };
    await running(site);
    const placement = pathOf('Placement', scope, 'in-use');
    const annotate = async (text: string): Promise<void> => {
      expectStored(
        await hub.api('alice').patch(placement, 'merge', { metadata: { annotations: { [annotation]: text } } }),
      );
    };
    await annotate('placement-in-use: moved');
    const endless = await hub.api('alice').delete(placement);
    expect(messageOf(endless)).toContain('has to end with until= and a time within the next hour');
    await annotate(`placement-in-use: moved until=${new Date(Date.now() + 1_800_000).toISOString()}`);
    const refused = await hub.api('alice').delete(placement);
    expect(messageOf(refused)).toContain('[placement-in-use] is not exempted: "alice" may not bypass it.');
    await grantAsTold(refused, scope);
    await eventually('the right counts', async () => {
      const { status } = await hub.api('alice').delete(placement);
      return status === 200 || undefined;
    });
    expect(auditOf('alice', placement)['deletions.validate.stageguard.io/bypass']).toBe('placement-in-use: "moved"');
  });

  test('a write of a status counts by what is stored, and past a gate only where the settings list it', async () => {
    const { hub } = it();
    const alice = hub.api('alice');
    const ends = (seconds: number): string => `until=${new Date(Date.now() + seconds * 1000).toISOString()}`;
    const request = async (name: string, text: string): Promise<string> => {
      await storeRequest(hub, { scope, name, target: { run: 'gone', stage: 'canary' } });
      const path = pathOf('ApprovalRequest', scope, name);
      expectStored(await alice.patch(path, 'merge', { metadata: { annotations: { [annotation]: text } } }));
      return `${path}/status`;
    };
    const approve = (status: string, type = 'Approved'): Promise<Answer> =>
      alice.patch(status, 'merge', { status: { conditions: [conditionNow(type)] } });
    const gone = 'approval-target-alive: the run comes back from the backup';
    const late = await request('gone-after-canary', `${gone} ${ends(7_200)}`);
    expect(messageOf(await approve(late))).toContain('is more than an hour ahead');
    const status = await request('gone-before-canary', `${gone} ${ends(1_800)}`);
    const refused = await approve(status);
    expect(messageOf(refused)).toContain('[approval-target-alive] is not exempted: "alice" may not bypass it.');
    await grantAsTold(refused, scope);
    await eventually('the right counts', async () => (await approve(status)).status === 200 || undefined);
    expect(auditOf('alice', status)['approval-grants.validate.stageguard.io/bypass']).toBe(
      'approval-target-alive: "the run comes back from the backup"',
    );
    const forged = await request('gone-after-prod', `approval-conditions: as asked ${ends(1_800)}`);
    expect(messageOf(await approve(forged, 'ApprovalAccepted'))).toMatch(/^403: .*\[approval-conditions\] /s);
  });
});

describe('while the guard is out of force, the floor', () => {
  beforeAll(async () => {
    const { hub } = it();
    const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/fleet-stageguard/roles/stageguard-armed';
    expectStored(await hub.api('admin').delete(role));
    await eventually('the floor answers', async () => {
      const answer = await hub.api('bob').create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, {
        ...strategy(undefined, 'probe', [stage('canary', waitsNot)]),
      });
      return messageOf(answer).includes('ValidatingAdmissionPolicy') || undefined;
    });
  });

  test.each(bothScopes)('lets through who may bypass the rule, and nobody else, %s', async (_where, scope) => {
    const { hub } = it();
    const path = pathOf('UpdateStrategy', scope);
    const draft = (name: string, text: string): Json => {
      const manifest = strategy(scope, name, [stage('canary', waitsNot)]);
      return { ...manifest, metadata: { ...(manifest['metadata'] as object), annotations: { [annotation]: text } } };
    };
    const asks = 'strategy-wait-time: drill';
    for (const [user, text] of [
      ['bob', asks],
      ['alice', 'strategy-size: drill'],
      ['alice', 'strategy-wait-time:'],
      ['alice', `strategy-wait-time: drill until=2099-01-01T00:00:00Z`],
      ['alice', `${asks}\n${'x'.repeat(5_000)}`],
    ] as const) {
      const answer = await hub.api(user).create(path, draft('refused', text));
      expect(messageOf(answer)).toMatch(/^403: .*ValidatingAdmissionPolicy.*\[strategy-wait-time\]/s);
    }
    expect(messageOf(await hub.api('alice').create(path, draft('by-the-floor', asks)))).toMatch(/^201/);
    expect(auditOf('alice', path)).toMatchObject({ 'stageguard-strategy-wait-time/asks-to-bypass': asks });
  });
});
