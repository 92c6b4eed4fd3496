import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { defaultPolicy } from '../../src/engine/policy.js';
import { RecentDecisions, type DecisionRecord } from '../../src/http/decision-record.js';
import { contentSecurityPolicy, renderPage, type PageContent } from '../../src/http/page.js';
import { createStandalone } from '../../src/http/standalone.js';
import { catalogue } from '../../src/rules/index.js';
import { cluster, run } from '../support/builders.js';
import { startGuard, type TestGuard } from '../support/guard.js';
import { fleetIn, scopes } from '../support/scopes.js';

const record: DecisionRecord = {
  at: Date.parse('2026-11-16T09:00:00Z'),
  endpoint: 'validate',
  uid: 'u',
  family: 'UpdateRun',
  kind: 'StagedUpdateRun',
  namespace: 'team-a',
  name: 'release',
  operation: 'CREATE',
  subresource: undefined,
  user: '<script>alert("1")</script>',
  dryRun: false,
  decision: 'refuse',
  rules: ['run-snapshot-exists'],
  milliseconds: 1,
};

function content(more: Partial<PageContent> = {}): PageContent {
  const scope = scopes[1];
  if (scope === undefined) throw new Error('no scope');
  return {
    fleet: fleetIn(scope, [cluster('eu-1'), run('release')]),
    rules: catalogue,
    policy: defaultPolicy,
    decisions: [record],
    plans: [],
    ...more,
  };
}

describe('the page', () => {
  test('shows the fleet, the rules and the last decisions', () => {
    const page = renderPage(content({ plans: [{ title: 'run <release>', plan: undefined }] }));
    for (const text of [
      '<code>eu-1</code>',
      '<code>team-a/release</code>',
      'CREATE StagedUpdateRun team-a/release',
      '<span class="refuse">refuse</span>',
      'run &lt;release&gt;',
      'No plan can be made.',
      ...catalogue.map(({ id }) => `<code>${id}</code>`),
    ]) {
      expect(page).toContain(text);
    }
  });

  test('lets nothing that users name become markup', () => {
    expect(renderPage(content())).not.toContain('<script');
    expect(renderPage(content())).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
  });

  test('loads nothing, and its one style is the one that the policy allows', () => {
    const page = renderPage(content());
    expect(page).not.toMatch(/src=|url\(|@import|href="(?!data:,")/);
    const style = /<style>([^]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(contentSecurityPolicy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  });

  test('stays small however large the fleet is', () => {
    const scope = scopes[0];
    const clusters = Array.from({ length: 1000 }, (_, index) => cluster(`c${index}`));
    const fleet = scope === undefined ? undefined : fleetIn(scope, clusters);
    expect(renderPage(content(fleet === undefined ? {} : { fleet }))).toContain('and 800 more');
  });
});

describe('standalone', () => {
  let guard: TestGuard | undefined;
  afterEach(() => guard?.stop());

  test('serves the page and the objects it knows', async () => {
    const objects: Record<string, unknown> = {
      'approvalrequests team-a a': { a: 1 },
      'memberclusters  eu-1': { b: 2 },
    };
    guard = await startGuard({
      pages: createStandalone({
        page: () => content(),
        stored: ({ plural, namespace, name }) => objects[`${plural} ${namespace ?? ''} ${name}`],
      }),
    });
    const page = await guard.agent.get('/');
    expect([page.status, page.type]).toEqual([200, 'text/html']);
    expect(page.headers['content-security-policy']).toBe(contentSecurityPolicy);
    expect((await guard.agent.get('/fleet/approvalrequests/team-a/a')).body).toEqual({ a: 1 });
    expect((await guard.agent.get('/fleet/memberclusters/_/eu-1')).body).toEqual({ b: 2 });
    const missing = await guard.agent.get('/fleet/memberclusters/_/eu-2');
    expect([missing.status, missing.body]).toEqual([404, { error: 'the fleet holds no memberclusters "eu-2"' }]);
    expect((await guard.agent.get('/fleet/memberclusters/_/%ff')).status).toBe(400);
  });
});

test('only the last decisions are kept, newest first', () => {
  const recent = new RecentDecisions(2);
  for (const uid of ['1', '2', '3']) recent.add({ ...record, uid });
  expect(recent.list().map(({ uid }) => uid)).toEqual(['3', '2']);
});
