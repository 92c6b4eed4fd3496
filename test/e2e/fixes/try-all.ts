import { beforeAll, describe, expect, test } from '@jest/globals';
import { lineKind, nameOfFix, printedFixes } from '../../support/printed-fixes.js';
import { commandsIn } from '../../support/warning-commands.js';
import { eventually } from '../harness/eventually.js';
import { paste } from '../harness/kubectl.js';
import type { Scope } from '../harness/paths.js';
import { pooled } from '../harness/pooled.js';
import type { GuardedHub } from '../harness/use-guarded-hub.js';
import { pasted, send, type FixCase, type Site } from './case.js';
import { refusalsOf, type Refusal } from './refusal.js';
import type { NoticeCase, WarningCase } from './warning-cases.js';

/** One thing to try in one scope, under a name of its own. */
interface Row {
  readonly title: string;
  readonly scope: Scope;
  readonly go: (site: Site) => Promise<void>;
}

export interface Cases {
  readonly fixes: readonly FixCase[];
  readonly warnings?: readonly WarningCase[];
  readonly notices?: readonly NoticeCase[];
}

// Most of the time goes into waiting, for the hub agent and for kubectl to send again, so several are on their way.
const atATime = 6;

/** Tries everything in both scopes, several at a time; each has a test of its own. */
export function tryAll(it: () => GuardedHub, { fixes, warnings = [], notices = [] }: Cases): void {
  const lines = new LineRecord();
  const isPrinted = ({ rule, when }: FixCase): boolean => printedFixes[rule]?.[when] !== undefined;
  const rowsOfFixes = (cases: readonly FixCase[]): readonly Row[] =>
    rowsOf(cases, (one, site) => tryFix(one, site, lines));
  const groups: readonly (readonly [string, readonly Row[]])[] = [
    ['the fix of', rowsOfFixes(fixes.filter(isPrinted))],
    ['the advice of', rowsOfFixes(fixes.filter((one) => !isPrinted(one)))],
    ['the command in a warning of', rowsOf(warnings, tryCommand)],
    ['the warning of', rowsOf(notices, tryNotice)],
  ];
  const rows = groups.flatMap(([, of]) => of);
  let outcomes: ReadonlyMap<Row, Promise<void>> = new Map();
  beforeAll(() => {
    const jobs = rows.map(
      ({ scope, go }, index) =>
        () =>
          go({ ...it(), scope, name: `fix-${index}` }),
    );
    const going = pooled(jobs, atATime);
    outcomes = new Map(rows.map((row, index) => [row, going[index] ?? Promise.resolve()]));
  });
  for (const [title, of] of groups.filter(([, each]) => each.length > 0)) {
    describe(title, () => {
      test.each(of)('$title', (row) => outcomes.get(row), 180_000);
    });
  }
  test('no line of a fix is left that nothing has put to use', async () => {
    await Promise.allSettled(outcomes.values());
    expect(lines.unused()).toEqual([]);
  }, 180_000);
}

type Titled = Pick<FixCase, 'rule' | 'scopes'> & Partial<Pick<FixCase, 'when' | 'way'>>;

function rowsOf<T extends Titled>(cases: readonly T[], go: (one: T, site: Site) => Promise<void>): readonly Row[] {
  return cases.flatMap((one) =>
    (one.scopes ?? [undefined, 'team-a']).map((scope): Row => {
      const about =
        one.when === undefined ? '' : `, where ${one.when}${one.way === undefined ? '' : ` and ${one.way}`}`;
      const where = scope === undefined ? 'cluster scope' : 'namespace';
      return { title: `${one.rule}${about} (${where})`, scope, go: (site) => go(one, site) };
    }),
  );
}

/** Which kinds of lines each fix has printed, and which of them were put to use. */
class LineRecord {
  private readonly printed = new Set<string>();
  private readonly used = new Set<string>();

  note({ rule, when }: FixCase, { lines, used }: Refusal): void {
    const line = (kind: string): string => `${rule}, where ${when}: ${kind}`;
    for (const kind of lines.flatMap((each) => lineKind(each) ?? [])) this.printed.add(line(kind));
    for (const kind of used) this.used.add(line(kind));
  }

  unused(): readonly string[] {
    return [...this.printed].filter((line) => !this.used.has(line));
  }
}

async function tryFix(one: FixCase, site: Site, lines: LineRecord): Promise<void> {
  await one.prepare?.(site);
  const sent = one.write(site);
  const refused = await send(site, sent);
  const found = refusalsOf(one.rule, refused.stderr);
  const isMeant = ({ sentence }: Refusal): boolean => nameOfFix(one.rule, sentence) === one.when;
  const refusal = printedFixes[one.rule]?.[one.when] === undefined ? found[0] : found.find(isMeant);
  if (refused.code === 0 || refusal === undefined) {
    throw new Error(`not refused by ${one.rule} where ${one.when}: ${refused.stdout}${refused.stderr}`);
  }
  const next = (await (one.follow ?? pasted())(refusal, site, sent)) ?? sent;
  lines.note(one, refusal);
  const admitted = await send(site, next);
  if (admitted.code !== 0) throw new Error(`refused after its fix: ${refused.stderr}\nnow: ${admitted.stderr}`);
  await one.ends?.(site);
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
