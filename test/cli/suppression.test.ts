import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';

const head = 'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateStrategy\n';
const strategy = (stages: string, first = ''): string => `${first}${head}metadata:\n  name: a\nspec:\n${stages}`;
const comment = '# stageguard:ignore strategy-stages-present';
const reason = 'we fill it in by hand';

interface Told {
  readonly code: number;
  readonly findings: readonly { readonly rule: string }[];
  readonly suppressed: readonly { readonly rule: string; readonly reason: string }[];
  readonly unusedComments: readonly { readonly line: number }[];
  readonly errors: readonly { readonly line: number; readonly message: string }[];
}

async function check(input: string, ...argv: string[]): Promise<Told> {
  const { code, out } = await run(['check', '-', '--format', 'json', ...argv], { input });
  return { code, ...(JSON.parse(out) as Omit<Told, 'code'>) };
}

const quiet = {
  code: 0,
  findings: [],
  suppressed: [{ rule: 'strategy-stages-present', reason }],
  errors: [],
  unusedComments: [],
};

describe('a comment with a rule and a reason suppresses', () => {
  test.each([
    ['on the line', strategy(`  stages: [] ${comment} ${reason}\n`)],
    ['above the line', strategy(`  ${comment} ${reason}\n  # more to say\n  stages: []\n`)],
    ['at the head of the document', strategy('  stages: []\n', `${comment} ${reason}\n`)],
    ['above the line that begins the document', strategy('  stages: []\n', `${comment} ${reason}\n---\n`)],
    ['below that line', strategy('  stages: []\n', `---\n# a title\n${comment} ${reason}\n`)],
  ])('%s', async (_name, input) => {
    expect(await check(input)).toMatchObject(quiet);
  });

  test('what it says, and nothing else', async () => {
    const other = strategy('  stages: []\n', `# stageguard:ignore strategy-size too large, we know\n`);
    expect(await check(other)).toMatchObject({ code: 1, suppressed: [], unusedComments: [{ line: 1 }] });
  });

  test('also what is judged of manifests alone', async () => {
    const first = `# stageguard:ignore manifest-unknown-field read by a tool of ours\n`;
    const input = strategy('  owner: team-a\n  stages:\n    - name: all\n      labelSelector: {}\n', first);
    expect(await check(input)).toMatchObject({ code: 0, suppressed: [{ rule: 'manifest-unknown-field' }], errors: [] });
  });

  test('in its own document alone', async () => {
    const two = `${strategy('  stages: []\n', `${comment} ${reason}\n`)}---\n${strategy('  stages: []\n').replace('name: a', 'name: b')}`;
    expect(await check(two)).toMatchObject({ code: 1, findings: [{ name: 'b' }], suppressed: [{ name: 'a' }] });
  });
});

describe('a comment suppresses nothing', () => {
  test.each([
    ['without a reason', `${comment}\n`, `gives no reason; write "${comment} reason"`],
    ['without a rule', '# stageguard:ignore\n', 'names no rule; write "# stageguard:ignore RULE reason"'],
    [
      'for a rule that is not there',
      `# stageguard:ignore strategy-stage-present ${reason}\n`,
      'there is no rule "strategy-stage-present"; did you mean "strategy-stages-present"?',
    ],
  ])('%s, and says so', async (_name, first, message) => {
    const told = await check(strategy('  stages: []\n', first));
    expect(told).toMatchObject({ code: 2, suppressed: [], errors: [{ line: 1, message }] });
    expect(told.findings).toHaveLength(1);
  });

  test('as a text that only looks like one', async () => {
    const text = strategy('  stages: []\n').replace(
      'name: a\n',
      `name: a\n  annotations:\n    a: |\n      ${comment} ${reason}\n    b: "${comment} ${reason}"\n`,
    );
    expect(await check(text)).toMatchObject({ code: 1, suppressed: [], unusedComments: [] });
  });
});

describe('a comment that is not needed', () => {
  const unneeded = strategy('  stages: [{name: all, labelSelector: {}}]\n', `\n${comment} ${reason}\n`);

  test('is a warning', async () => {
    expect(await check(unneeded)).toMatchObject({ code: 0, unusedComments: [{ line: 2 }] });
    const { code, out } = await run(['check', '-', '--fail-on', 'warn', '--quiet'], { input: unneeded });
    expect(code).toBe(1);
    expect(out).toContain('<stdin>:2:1: warning: this comment suppresses nothing');
  });

  test('is not told where nobody can know', async () => {
    const run = strategy(
      '  placementName: x\n  stagedRolloutStrategyName: rings\n  state: Run\n',
      `# stageguard:ignore run-placement-exists ${reason}\n`,
    ).replace('Strategy\n', 'Run\n');
    expect(await check(run)).toMatchObject({ unusedComments: [] });
  });
});

test('the summary says that the webhook refuses it all the same', async () => {
  const input = strategy(`  stages: [] ${comment} ${reason}\n`);
  const { out } = await run(['check', '-'], { input });
  expect(out).toBe(
    '1 file, 1 object: no problems found\nsuppressed by comments: 1 finding; the webhook sees no comments, and refuses 1 of them still\n',
  );
  const sarif = await run(['check', '-', '--format', 'sarif'], { input });
  expect(sarif.out).toContain(`"justification": "${reason}"`);
  // A plan is about what the webhook would say.
  expect((await run(['check', '-', '--format', 'markdown'], { input })).out).not.toContain('refused');
});
