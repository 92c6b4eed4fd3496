import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';
import { removedLines } from '../support/line-diff.js';
import { scratchFolder } from '../support/scratch.js';

const folder = scratchFolder();
const fleet = ['--fleet', 'examples/fleet'];

interface JsonReport {
  readonly findings: readonly {
    readonly rule: string;
    readonly severity: string;
    readonly line: number;
    readonly message: string;
  }[];
  readonly errors: readonly { readonly message: string; readonly line?: number }[];
}

async function reported(file: string, more: readonly string[] = []): Promise<JsonReport> {
  const { out } = await run(['check', file, '--format', 'json', ...more]);
  return JSON.parse(out) as JsonReport;
}

let files = 0;

function fileOf(text: string, name = 'one.yaml'): string {
  const own = join(folder, String(files++));
  mkdirSync(own);
  writeFileSync(join(own, name), text);
  return join(own, name);
}

/** What `--fix --yes` makes of a text. */
async function fixed(text: string, how: readonly string[] = ['--fix'], name?: string): Promise<string> {
  const file = fileOf(text, name);
  await run(['check', file, ...how, '--yes']);
  const once = readFileSync(file, 'utf8');
  const again = await run(['check', file, ...how, '--yes']);
  expect(again.err).toContain('Nothing is changed.');
  expect(readFileSync(file, 'utf8')).toBe(once);
  return once;
}

const strategy = (stages: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata:
  name: rings
spec:
  stages:${stages}
`;

describe('an example that is refused', () => {
  const safe = ['run-api-version', 'run-snapshot-index'];
  const risky = ['strategy-stage-names-unique', 'strategy-stages-disjoint'];
  const examples = readdirSync('examples/bad').map((name) => join('examples/bad', name));
  const isIn = (rules: readonly string[]) => (path: string) => rules.includes(basename(path, '.yaml'));

  test.each(examples.filter(isIn([...safe, ...risky])))('%s is put right, and nothing else of it', async (example) => {
    const how = isIn(safe)(example) ? '--fix' : '--fix-unsafe';
    const text = readFileSync(example, 'utf8');
    const file = fileOf(text, basename(example));
    const { findings } = await reported(file, fleet);
    const lines = findings.filter(({ severity }) => severity !== 'audit').map(({ line }) => line);
    expect((await run(['check', file, ...fleet, how, '--yes'])).code).toBe(0);
    const after = readFileSync(file, 'utf8');
    expect(after).not.toBe(text);
    expect(removedLines(text, after).filter((line) => !lines.includes(line))).toEqual([]);
    const again = await run(['check', file, ...fleet, how, '--yes']);
    expect(again.err).toContain('Nothing is changed.');
    expect(readFileSync(file, 'utf8')).toBe(after);
  });

  test.each(examples.filter((path) => !isIn([...safe, ...risky])(path)))(
    '%s stays, and is told why',
    async (example) => {
      const text = readFileSync(example, 'utf8');
      const file = fileOf(text, basename(example));
      const { code, err } = await run(['check', file, ...fleet, '--fix-unsafe', '--yes']);
      expect(code).toBe(1);
      expect(readFileSync(file, 'utf8')).toBe(text);
      expect(err).toMatch(
        /Not touched:\n.*: \[[a-z-]+\] (?:what is right depends on the hub|there is more than one way)/,
      );
    },
  );

  test.each(risky)('%s stays without --fix-unsafe', async (rule) => {
    const text = readFileSync(`examples/bad/${rule}.yaml`, 'utf8');
    const file = fileOf(text);
    const { code, err } = await run(['check', file, '--fix', '--yes']);
    expect(code).toBe(1);
    expect(err).toMatch(/Not touched:\n.*--fix-unsafe does it\nNothing is changed/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('every key of the good examples', () => {
  const misspell: readonly ((key: string) => string)[] = [
    (key) => key.slice(0, 2) + key.slice(3),
    (key) => `${key}s`,
    (key) => key.slice(0, -2) + (key.at(-1) ?? '') + (key.at(-2) ?? ''),
    (key) => key.slice(0, 1).toUpperCase() + key.slice(1),
  ];

  test.each(readdirSync('examples/good'))(
    'misspelled in %s, is put right on its line alone',
    async (name) => {
      const text = readFileSync(join('examples/good', name), 'utf8');
      let tried = 0;
      for (const { 0: match, 1: before = '', 2: key = '', index } of text.matchAll(/^([ -]*)([a-z][A-Za-z]{4,}):/gm)) {
        const wrong = misspell[tried % misspell.length]?.(key) ?? key;
        const spoiled = `${text.slice(0, index)}${before}${wrong}:${text.slice(index + match.length)}`;
        const file = fileOf(spoiled);
        const { findings, errors } = await reported(file);
        const line = spoiled.slice(0, index).split('\n').length;
        const told = [...findings, ...errors].filter((one) => one.line === line).map(({ message }) => message);
        if (!told.some((message) => message.includes(`did you mean "${key}"`))) continue;
        tried++;
        expect(await fixed(spoiled)).toBe(text);
      }
      expect(tried).toBeGreaterThan(2);
    },
    120_000,
  );
});

describe('keeps all other bytes', () => {
  const run2 = (index: string): string =>
    `# why\napiVersion: placement.kubernetes-fleet.io/v1beta1 # the stored one\nkind: ClusterStagedUpdateRun\nmetadata: {name: a}\n\nspec:\n  resourceSnapshotIndex: ${index}   # the last\n  placementName:   "shop"\n  stagedRolloutStrategyName: rings\n  state: Run\n---\n# nothing here\n`;

  test.each<[string, (text: string) => string]>([
    ['as they are', (text) => text],
    ['with carriage returns', (text) => text.replaceAll('\n', '\r\n')],
    ['after a byte order mark', (text) => `\ufeff${text}`],
    ['without an end of the last line', (text) => text.trimEnd()],
    ['after another document', (text) => `kind: Other\napiVersion: v1\n---\n${text}`],
  ])('%s', async (_, form) => {
    for (const wrong of [`'02'`, '002', '"+2"']) expect(await fixed(form(run2(wrong)))).toBe(form(run2('"2"')));
  });

  test('in JSON', async () => {
    const object = {
      apiVersion: 'placement.kubernetes-fleet.io/v1alpha1',
      kind: 'ClusterStagedUpdateRun',
      metadata: { name: 'a' },
      spec: { placementName: 'a', stagedRolloutStrategyName: 'a', resourceSnapshotIndex: '01' },
    };
    for (const indent of [0, 2, '\t']) {
      const right = { ...object, apiVersion: 'placement.kubernetes-fleet.io/v1beta1' };
      const expected = { ...right, spec: { ...right.spec, resourceSnapshotIndex: '1' } };
      expect(await fixed(JSON.stringify(object, null, indent), ['--fix'], 'a.json')).toBe(
        JSON.stringify(expected, null, indent),
      );
      const after = await fixed(JSON.stringify(object, null, indent), ['--fix-unsafe'], 'a.json');
      expect(JSON.parse(after)).toEqual({ ...expected, spec: { ...expected.spec, state: 'Run' } });
    }
  });
});

describe('writes', () => {
  test.each<[string, string, string]>([
    [
      'one of two equal tasks',
      `
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
      afterStageTasks:
        - type: TimedWait # long enough
          waitTime: 1h
        # the second
        - type: TimedWait
          waitTime: 1h
    - name: rest
      labelSelector: {matchLabels: {ring: rest}}
      beforeStageTasks: []
      afterStageTasks: [{type: Approval}, {type: Approval}]`,
      `
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
      afterStageTasks:
        - type: TimedWait # long enough
          waitTime: 1h
        # the second
    - name: rest
      labelSelector: {matchLabels: {ring: rest}}
      beforeStageTasks: []
      afterStageTasks: [{type: Approval}]`,
    ],
    [
      'a time and a number as the API wants them',
      `
    - name: canary
      labelSelector: {}
      maxConcurrency: "3"
      afterStageTasks:
        - {type: TimedWait, waitTime: 2d}`,
      `
    - name: canary
      labelSelector: {}
      maxConcurrency: 3
      afterStageTasks:
        - {type: TimedWait, waitTime: 48h}`,
    ],
    [
      'a key, and then the value that it had hidden',
      `
    - name: canary
      labelSelector: {}
      maxConcurency: "3"`,
      `
    - name: canary
      labelSelector: {}
      maxConcurrency: 3`,
    ],
  ])('%s', async (_, before, after) => {
    expect(await fixed(strategy(before))).toBe(strategy(after));
  });

  test.each<[string, string, string]>([
    [
      'selectors apart, in blocks with their comments',
      `
    - name: canary # small
      labelSelector:
        matchLabels:
          ring: canary # by the team
    # everything in Europe
    - name: eu
      labelSelector:
        # see the map
        matchLabels:
          region: eu # all
      maxConcurrency: 50%`,
      `
    - name: canary # small
      labelSelector:
        matchLabels:
          ring: canary # by the team
    # everything in Europe
    - name: eu
      labelSelector:
        # see the map
        matchLabels:
          region: eu # all
        matchExpressions:
          - key: ring
            operator: NotIn
            values: [canary]
      maxConcurrency: 50%`,
    ],
    [
      'selectors apart, in braces',
      `
    - {name: canary, labelSelector: {matchLabels: {ring: canary}}}
    - {name: all, labelSelector: {}}`,
      `
    - {name: canary, labelSelector: {matchLabels: {ring: canary}}}
    - {name: all, labelSelector: {matchExpressions: [{key: ring, operator: NotIn, values: [canary]}]}}`,
    ],
    [
      'one more value of an expression',
      `
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
    - name: first
      labelSelector: {matchLabels: {ring: first}}
    - name: all
      labelSelector:
        matchExpressions:
          - key: ring # the one
            operator: NotIn
            values:
              - canary`,
      `
    - name: canary
      labelSelector: {matchLabels: {ring: canary}}
    - name: first
      labelSelector: {matchLabels: {ring: first}}
    - name: all
      labelSelector:
        matchExpressions:
          - key: ring # the one
            operator: NotIn
            values:
              - canary
              - first`,
    ],
    [
      'names of stages',
      `
    - name: prod
      labelSelector: {matchLabels: {region: eu}}
    - name: 'prod' # the other
      labelSelector: {matchLabels: {region: us}}`,
      `
    - name: prod
      labelSelector: {matchLabels: {region: eu}}
    - name: "prod2" # the other
      labelSelector: {matchLabels: {region: us}}`,
    ],
    [
      'no stage that others have taken everything from',
      `
    - name: all
      labelSelector: {}
    - name: twice
      labelSelector: {}
      # and a wait
      afterStageTasks:
        - type: Approval`,
      `
    - name: all
      labelSelector: {}`,
    ],
  ])('%s, with --fix-unsafe alone', async (_, before, after) => {
    expect(await fixed(strategy(before))).toBe(strategy(before));
    expect(await fixed(strategy(before), ['--fix-unsafe'])).toBe(strategy(after));
  });

  test('a stage as two, with all that is in it', async () => {
    const two = `
    - name: canary
      labelSelector: {matchLabels: {ring: canary, region: eu}}
    - name: all
      labelSelector: {matchExpressions: [{key: ring, operator: Exists}]}
      afterStageTasks:
        - type: Approval # by two`;
    const after = await fixed(strategy(two), ['--fix-unsafe']);
    expect(after.match(/type: Approval # by two/g)).toHaveLength(2);
    expect(after).toContain('- name: all\n');
    expect(after).toContain('- name: all2\n');
    expect((await reported(fileOf(after))).findings.filter(({ severity }) => severity !== 'audit')).toEqual([]);
  });
});

describe('leaves alone', () => {
  const runs = `apiVersion: v1
kind: List
items:
  - apiVersion: placement.kubernetes-fleet.io/v1beta1
    kind: ClusterStagedUpdateRun
    metadata: {name: a}
    spec: &spec
      placementName: shop
      stagedRolloutStrategyName: rings
  - apiVersion: placement.kubernetes-fleet.io/v1beta1
    kind: ClusterStagedUpdateRun
    metadata: {name: b}
    spec: *spec
`;

  test.each<[string, string, string]>([
    ['what stands below an anchor', runs, 'one.yaml:7:5: [run-not-started] the place stands below an anchor'],
    ['what stands behind an alias', runs, 'one.yaml:13:5: [run-not-started] the place stands behind an alias'],
    [
      'what has a tag',
      strategy(
        '\n    - name: !!str a\n      labelSelector: {matchLabels: {a: b}}\n    - name: !!str a\n      labelSelector: {matchLabels: {a: c}}',
      ),
      'has a form of its own',
    ],
    [
      'what is one of two that differ',
      strategy(
        '\n    - name: a\n      labelSelector: {}\n      afterStageTasks: [{type: TimedWait, waitTime: 1h}, {type: TimedWait, waitTime: 2h}]',
      ),
      'there is more than one way to put it right',
    ],
  ])('%s', async (_, text, why) => {
    const file = fileOf(text);
    const { err } = await run(['check', file, '--fix-unsafe', '--yes']);
    expect(err).toContain(why);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('what is no text', async () => {
    const file = join(scratchFolder(), 'latin.yaml');
    const bytes = Buffer.concat([Buffer.from([0x23, 0xe9, 0x0a]), Buffer.from(strategy('\n    - nmae: a'))]);
    writeFileSync(file, bytes);
    const { code, err } = await run(['check', file, '--fix', '--yes']);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(':1:1: it cannot be read') as unknown });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('what a comment suppresses', async () => {
    const text = `# stageguard:ignore run-snapshot-index the hub is patched\n${readFileSync('examples/bad/run-snapshot-index.yaml', 'utf8')}`;
    const { code, err } = await run(['check', fileOf(text), '--fix', '--yes']);
    expect({ code, err }).toEqual({ code: 0, err: 'Nothing is changed.\n' });
  });
});
