import { describe, expect, test } from '@jest/globals';
import { bypassAnnotation } from '../../src/engine/exemption.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { refusalText, warningTexts } from '../../src/engine/message.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decisionOf, type Verdict } from '../../src/engine/verdict.js';
import { createExemptingJudge, type ExemptingParts } from '../../src/guard/exempting.js';
import type { Requester } from '../../src/guard/judge.js';
import type { WantedAccess } from '../../src/hub/access-answers.js';
import { isVisible } from '../../src/fleet/quoted.js';
import { catalogue } from '../../src/rules/index.js';
import { approval, condition, creation, run, soundFleet, strategy, update } from '../support/builders.js';
import type { ChangeDraft } from '../support/builders.js';
import { testNow } from '../support/rule-tester.js';
import { changeIn, fleetIn, scopes, type Scope } from '../support/scopes.js';

const alice: Requester = { user: 'alice', uid: 'u1', groups: ['developers'], extra: {} };

interface Given {
  readonly may?: ExemptingParts['may'];
  readonly gates?: readonly string[];
  readonly milliseconds?: number;
  readonly requester?: Requester;
}

/** The verdict of a whole judge on a sound fleet, and what was asked about rights. */
async function judged(scope: Scope, draft: ChangeDraft, given: Given = {}) {
  const asked: WantedAccess[] = [];
  const exempting: (readonly string[])[] = [];
  const may: ExemptingParts['may'] = (_requester, wanted, signal) => {
    asked.push(wanted);
    return given.may?.(alice, wanted, signal) ?? Promise.resolve(true);
  };
  const judge = createExemptingJudge({
    judge: (change, { exempt = new Set() }) => {
      exempting.push([...exempt]);
      return evaluate(change, {
        rules: catalogue,
        fleet: fleetIn(scope, soundFleet),
        policy: defaultPolicy,
        now: testNow,
        exempt,
      });
    },
    may: 'may' in given && given.may === undefined ? undefined : may,
    gates: () => given.gates ?? [],
    rules: catalogue,
    now: () => testNow,
    elapsed: () => 0,
  });
  const options = { deadline: given.milliseconds ?? 1_000, requester: given.requester ?? alice };
  const verdict: Verdict = await judge(changeIn(scope, draft), options);
  return { verdict, decision: decisionOf(verdict), asked, exempting };
}

const asking = (text: string, stages: object[] = []) => {
  const draft = strategy('rings', ...stages.map((stage) => ({ ...stage })));
  const metadata = { ...(draft.json['metadata'] as object), annotations: { [bypassAnnotation]: text } };
  return creation({ ...draft, json: { ...draft.json, metadata } });
};
const canary = { name: 'canary', labelSelector: { matchLabels: { ring: 'canary' } } };
const waits = [{ ...canary, afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }];
const waitsTwice = [{ ...waits[0], maxConcurrency: 0 }];

describe.each(scopes)('an exemption, $name', (scope) => {
  const where = scope.namespace;

  test('counts where the requester may bypass the rule, which is asked about this rule and place', async () => {
    const { verdict, decision, asked } = await judged(scope, asking('strategy-wait-time: INC-7', waits));
    expect(decision).toBe('admit');
    expect(asked).toEqual([
      { group: 'stageguard.io', resource: 'rules', name: 'strategy-wait-time', verb: 'bypass', namespace: where },
    ]);
    expect(verdict.audit).toEqual({ bypass: 'strategy-wait-time: "INC-7"' });
    const [exempted, found] = warningTexts(verdict);
    expect(exempted).toBe('exempted by stageguard.io/bypass from strategy-wait-time: "INC-7"');
    expect(found).toMatch(/^\[strategy-wait-time\] /);
  });

  test('counts for nothing without the right; the refusal names it and the role', async () => {
    const { verdict, decision } = await judged(scope, asking('strategy-wait-time: INC-7', waits), {
      may: () => Promise.resolve(false),
    });
    expect(decision).toBe('refuse');
    const text = refusalText(verdict);
    expect(text).toContain('[strategy-wait-time] spec.stages[0].afterStageTasks[0].waitTime: stage "canary"');
    expect(text).toContain('[strategy-wait-time] is not exempted: "alice" may not bypass it.');
    expect(text).toContain(`kind: ${where === undefined ? 'ClusterRole' : 'Role'}\n`);
    expect(text).toContain('resourceNames: [strategy-wait-time]');
    expect(verdict.audit).toBeUndefined();
  });

  test('is for the rule that it names alone', async () => {
    const { verdict, decision } = await judged(scope, asking('strategy-wait-time: INC-7', waitsTwice));
    expect(decision).toBe('refuse');
    expect(refusalText(verdict)).toMatch(/^refused by 1 rule: .*\n\[strategy-max-concurrency\]/);
  });

  test('lets no rule pass unseen that the bypassed one had kept silent', async () => {
    const missing = run('release', {
      spec: { placementName: 'nowhere', stagedRolloutStrategyName: 'gone', state: 'Run' },
      metadata: { annotations: { [bypassAnnotation]: 'run-strategy-exists: drill' } },
    });
    const { verdict, decision } = await judged(scope, creation(missing));
    expect(decision).toBe('refuse');
    expect(verdict.findings.filter(({ severity }) => severity === 'deny').map(({ rule }) => rule)).toEqual([
      'run-placement-exists',
    ]);
  });

  test('of what was kept silent is asked for in its turn', async () => {
    const text = 'run-placement-exists: drill\nrun-placement-external: drill\nrun-strategy-exists: drill';
    const missing = run('release', {
      spec: { placementName: 'nowhere', stagedRolloutStrategyName: 'gone', state: 'Run' },
      metadata: { annotations: { [bypassAnnotation]: text } },
    });
    const { exempting } = await judged(scope, creation(missing));
    expect(exempting[0]).toEqual([]);
    expect(exempting[1]).toEqual(['run-placement-exists', 'run-strategy-exists']);
  });

  test.each<[string, ChangeDraft]>([
    ['a write that passes', asking('strategy-wait-time: INC-7', [canary])],
    ['a rule that does not refuse', asking('strategy-selector-valid: INC-7', waits)],
    ['a line without a reason', asking('strategy-wait-time:', waits)],
    ['no rule that there is', asking('all: INC-7', waits)],
  ])('is not asked about for %s', async (_name, draft) => {
    expect((await judged(scope, draft)).asked).toEqual([]);
  });

  test('that is longer than it may be is not read, and that is said', async () => {
    const { verdict, asked } = await judged(scope, asking(`strategy-wait-time: ${'x'.repeat(5_000)}`, waits));
    expect(asked).toEqual([]);
    expect(refusalText(verdict)).toContain('is not exempted: stageguard.io/bypass is longer than 4096 characters');
  });

  test('is not given while rights cannot be asked, and that is said', async () => {
    const { verdict, decision } = await judged(scope, asking('strategy-wait-time: INC-7', waits), {
      may: () => Promise.reject(new Error('the API server answered 503: no\nluck')),
    });
    expect(decision).toBe('refuse');
    expect(refusalText(verdict)).toContain(
      '[strategy-wait-time] is not exempted: whether "alice" may bypass it could not be asked: the API server answered 503: no\\nluck',
    );
  });

  test('ends waiting for rights before the answer must be out', async () => {
    const { decision } = await judged(scope, asking('strategy-wait-time: INC-7', waits), {
      milliseconds: 250,
      may: (_requester, _wanted, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('out of time'));
          });
        }),
    });
    expect(decision).toBe('refuse');
  });

  test('is given by nobody where there is no API server', async () => {
    const { verdict } = await judged(scope, asking('strategy-wait-time: INC-7', waits), { may: undefined });
    expect(refusalText(verdict)).toContain('there is no API server here that could tell who may bypass a rule');
  });

  test('prints neither reason nor user as anything but a value', async () => {
    const evil = '\u001b[31m"$(id)`\u202e::error::x';
    const used = await judged(scope, asking(`strategy-wait-time: ${evil}`, waits));
    const refused = await judged(scope, asking(`strategy-wait-time: ${evil}`, waits), {
      may: () => Promise.reject(new Error(evil)),
      requester: { ...alice, user: evil },
    });
    const texts = [...warningTexts(used.verdict), used.verdict.audit?.['bypass'] ?? '', refusalText(refused.verdict)];
    for (const text of texts) expect(isVisible(text.replaceAll('\n', ''))).toBe(true);
    expect(used.verdict.audit?.['bypass']).not.toMatch(/\$\(|`|::/);
  });

  test('from a gate takes a listing in the settings beside the right', async () => {
    const text = `approval-target-alive: drill until=${new Date(testNow + 60_000).toISOString()}`;
    const stored = approval('release-after-canary', { metadata: { annotations: { [bypassAnnotation]: text } } });
    const granted = { ...stored, json: { ...stored.json, status: { conditions: [condition('Approved', 'True')] } } };
    const grant = update(stored, granted, { subresource: 'status' });
    const unlisted = await judged(scope, grant);
    expect(unlisted.decision).toBe('refuse');
    expect(unlisted.asked).toEqual([]);
    expect(refusalText(unlisted.verdict)).toContain('it guards a gate, and the settings do not list it');
    const listed = await judged(scope, grant, { gates: ['approval-target-alive'] });
    expect(listed.decision).toBe('admit');
  });
});
