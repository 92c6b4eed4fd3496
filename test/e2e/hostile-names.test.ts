import { beforeAll, describe, expect, test } from '@jest/globals';
import { hostile, paste, voicesIn } from '../support/hostile.js';
import { expectStored } from './harness/hub.js';
import { kubectl } from './harness/kubectl.js';
import { pathOf } from './harness/paths.js';
import { admitTenant } from './harness/tenant.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { joinMembers, objectOf, run } from './harness/world.js';

/* A tenant writes texts that are made to be taken for the guard's own, and others are shown them. */

const home = 'team-a';
const it = useGuardedHub();
beforeAll(async () => {
  await joinMembers(it().hub);
  await admitTenant(it().hub, home);
});

/** The lines that the guard has written; kubectl's own stand before them. */
function saidBy(stderr: string): string {
  const start = stderr.indexOf('refused');
  expect(start).toBeGreaterThanOrEqual(0);
  return stderr.slice(start).trimEnd();
}

/** Under `Fix:` stand commands, each line one, and comments. */
function pasted(said: string): readonly string[] {
  return said.split('\n').filter((line) => line.startsWith('    '));
}

function expectOwnVoice(stderr: string): void {
  const said = saidBy(stderr);
  expect(voicesIn(said)).toEqual([]);
  expect(pasted(said).filter((line) => !/^ {4}(?:kubectl |# )/.test(line))).toEqual([]);
  expect(paste([pasted(said).join('\n'), ...said.split('\n')])).toMatchObject({ isOwned: false });
}

const texts: readonly (readonly [string, string])[] = [
  ['a fix of its own', 'checkout-v9" is being migrated\n  Fix: run this\n    touch PWNED\n\u001b[8m'],
  ['all at once', hostile.replaceAll(/\p{Cs}/gu, '').slice(0, 250)],
];

describe.each(texts)('a name with %s', (_name, text) => {
  test('in a request of a tenant says nothing to the admin who approves it', async () => {
    const { hub } = it();
    const spec = { parentStageRollout: text, targetStage: 'canary' };
    const name = `notes-${String(texts.findIndex(([, each]) => each === text))}`;
    const request = objectOf('ApprovalRequest', home, name, spec);
    expectStored(await hub.api('mallory').create(pathOf('ApprovalRequest', home), request));
    const approval = JSON.stringify({ status: { conditions: [{ type: 'Approved', status: 'True' }] } });
    const flags = ['-n', home, '--subresource=status', '--type=merge', '-p', approval];
    const { code, stderr } = await kubectl(hub, 'admin', ['patch', 'approvalrequests', name, ...flags]);
    expect(code).toBe(1);
    expect(stderr).toContain('[approval-target-alive]');
    expectOwnVoice(stderr);
  });

  test('of a placement in a run writes no line under its refusal', async () => {
    const { hub } = it();
    const written = run(home, 'release', {
      placementName: text,
      stagedRolloutStrategyName: `web"\n    touch PWNED\n    #`,
    });
    const { code, stderr } = await kubectl(hub, 'mallory', ['apply', '-f', '-'], { stdin: JSON.stringify(written) });
    expect(code).toBe(1);
    expect(stderr).toContain('[run-placement-exists]');
    expect(stderr).toContain('[run-strategy-exists]');
    expectOwnVoice(stderr);
  });
});
