import { beforeAll, describe, expect, test } from '@jest/globals';
import { catalogue } from '../../../src/rules/index.js';
import { eventually } from '../eventually.js';
import type { Hub } from '../hub.js';
import { pathOf, type Scope } from '../paths.js';
import { pooled } from '../pooled.js';
import { useGuardedHub } from '../use-guarded-hub.js';
import { joinMembers, stage, strategy } from '../world.js';
import { approvalCases } from './approval-cases.js';
import { paste } from '../kubectl.js';
import { commandsIn, warningCommands } from '../../support/warning-commands.js';
import { send, type FixCase, type Site } from './case.js';
import { refusalOf } from './refusal.js';
import { runCases } from './run-cases.js';
import { strategyCases } from './strategy-cases.js';
import { noticeCases, warningCases, type NoticeCase, type WarningCase } from './warning-cases.js';

const cases = [...runCases, ...strategyCases, ...approvalCases];

/** Strategies that are older than the guard, with faults that it would not let in. */
async function oldStrategies(hub: Hub): Promise<void> {
  for (const scope of [undefined, 'team-a']) {
    const old = [
      strategy(scope, 'old-no-wait', [
        stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }),
        stage('production'),
      ]),
      strategy(scope, 'old-overlap', [stage('canary'), stage('all', { labelSelector: {} })]),
    ];
    for (const object of old) await hub.api('admin').create(pathOf('UpdateStrategy', scope), object);
  }
}

const it = useGuardedHub({
  before: oldStrategies,
  config: { claims: { settleSeconds: 5 }, retry: { defaultSeconds: 1 } },
});
beforeAll(() => joinMembers(it().hub), 30_000);

test('every rule that refuses has its fix executed here', () => {
  const refusing = catalogue.filter(({ severity }) => severity === 'deny').map(({ id }) => id);
  const executed = new Set(cases.map(({ rule }) => rule));
  expect(refusing.filter((id) => !executed.has(id))).toEqual([]);
});

test('every rule that prints a command in a warning has it executed here', () => {
  const executed = new Set(warningCases.map(({ rule }) => rule));
  expect(warningCommands.filter((id) => !executed.has(id))).toEqual([]);
});

/** One thing to try in one scope, under a name of its own. */
interface Row {
  readonly title: string;
  readonly scope: Scope;
  readonly go: (site: Site) => Promise<void>;
}

const scopeTitle = (scope: Scope): string => (scope === undefined ? 'cluster scope' : 'namespace');

const fixRows = cases.flatMap((one) =>
  (one.scopes ?? [undefined, 'team-a']).map((scope): Row => ({
    title: `${one.rule}${one.when === undefined ? '' : `, where ${one.when}`} (${scopeTitle(scope)})`,
    scope,
    go: (site) => tryFix(one, site),
  })),
);
const warningRows = warningCases.flatMap((one) =>
  [undefined, 'team-a'].map((scope): Row => ({
    title: `${one.rule} (${scopeTitle(scope)})`,
    scope,
    go: (site) => tryCommand(one, site),
  })),
);
const noticeRows = noticeCases.flatMap((one) =>
  (one.scopes ?? [undefined, 'team-a']).map((scope): Row => ({
    title: `${one.rule} (${scopeTitle(scope)})`,
    scope,
    go: (site) => tryNotice(one, site),
  })),
);

async function tryFix(one: FixCase, site: Site): Promise<void> {
  await one.prepare?.(site);
  const sent = one.write(site);
  const refused = await send(site, sent);
  const refusal = refusalOf(one.rule, refused.stderr);
  if (refused.code === 0 || refusal === undefined) throw new Error(`not refused by ${one.rule}: ${refused.stderr}`);
  const next = (await one.follow(refusal, site, sent)) ?? sent;
  const admitted = await send(site, next);
  if (admitted.code !== 0) throw new Error(`refused after its fix: ${refused.stderr}\nnow: ${admitted.stderr}`);
}

async function tryCommand(one: WarningCase, site: Site): Promise<void> {
  await one.prepare(site);
  const { code, stderr } = await send(site, one.write(site));
  const warnings = stderr.split('\n').filter((line) => line.startsWith('Warning: '));
  const [command] = commandsIn(warnings.join('\n'));
  if (code !== 0 || !stderr.includes(`Warning: [${one.rule}]`) || command === undefined) {
    throw new Error(`no command in a warning of ${one.rule}: ${stderr}`);
  }
  const ran = await paste(site.hub, 'alice', command);
  if (ran.code !== 0) throw new Error(`${command}\n${ran.stderr}`);
  await one.after(site);
}

async function tryNotice(one: NoticeCase, site: Site): Promise<void> {
  await one.prepare?.(site);
  const { user, args, manifest } = one.write(site);
  const dry = { ...(user && { user }), args: [...args, '--dry-run=server'], ...(manifest && { manifest }) };
  await eventually(`a warning of ${one.rule}`, async () => {
    const { code, stderr } = await send(site, dry);
    if (code !== 0) throw new Error(stderr);
    return stderr.includes(`Warning: [${one.rule}]`) || undefined;
  });
}

// Most of the time goes into waiting, for the hub agent and for kubectl to send again, so several are on their way.
const atATime = 6;
let outcomes: ReadonlyMap<Row, Promise<void>> = new Map();
beforeAll(() => {
  const rows = [...fixRows, ...warningRows, ...noticeRows];
  const going = pooled(
    rows.map(
      ({ scope, go }, index) =>
        () =>
          go({ ...it(), scope, name: `fix-${index}` }),
    ),
    atATime,
  );
  outcomes = new Map(rows.map((row, index) => [row, going[index] ?? Promise.resolve()]));
});

describe('the fix of', () => {
  test.each(fixRows)('$title', (row) => outcomes.get(row), 180_000);
});

describe('the command in a warning of', () => {
  test.each(warningRows)('$title', (row) => outcomes.get(row), 180_000);
});

describe('the warning of', () => {
  test.each(noticeRows)('$title', (row) => outcomes.get(row), 180_000);
});
