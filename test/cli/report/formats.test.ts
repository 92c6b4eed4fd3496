import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { formats } from '../../../src/cli/report/formats.js';
import { reportSchemas } from '../../../src/cli/report/json-schema.js';
import type { AuditReport, CheckReport, LocatedFinding, PlanReport, Report } from '../../../src/cli/report/model.js';
import { styleOf } from '../../../src/cli/report/style.js';
import type { Entry } from '../../../src/engine/rule.js';
import { fixWith } from '../../../src/engine/message.js';
import { quoted } from '../../../src/fleet/quoted.js';
import type { PlanView } from '../../../src/fleet/plan-view.js';
import { run } from '../../support/captured-io.js';
import { scratchFolder } from '../../support/scratch.js';
import { hostile } from '../../support/hostile.js';
import { annotationsIn, gitlabProblems, junitProblems, sarifProblems } from '../../support/report-shapes.js';

const folder = '/repository';
const rule: Entry = {
  id: 'strategy-example',
  title: 'A strategy is as it should be',
  severity: 'deny',
  appliesTo: [],
  why: 'KubeFleet would stop half-way.',
  fix: 'Write it as it should be.',
};
const strategy = { kind: 'ClusterStagedUpdateStrategy', namespace: undefined, name: 'rings' } as const;
const release = { kind: 'StagedUpdateRun', namespace: 'team-a', name: 'release-42' } as const;
const atStage = { file: 'deploy/rings, prod.yaml', line: 14, column: 7 };
const atRun = { file: '/elsewhere/run.yaml', line: 3, column: 1 };
const common = { rule: rule.id, outcome: 'violated', retry: false } as const;

const unknown: LocatedFinding = {
  ...{ ...common, severity: 'audit', outcome: 'undetermined', subject: release, ...atRun, path: [] },
  ...{
    message: 'could not be checked: cannot know ResourcePlacement "shop"',
    fix: 'Check it against the whole fleet.',
  },
};

const findings: readonly LocatedFinding[] = [
  {
    ...{ ...common, severity: 'deny', subject: strategy, ...atStage, path: ['spec', 'stages', 1, 'labelSelector'] },
    message: 'stages "canary" and "eu" can both select a cluster',
    fix: 'Give stage "eu" a selector of its own.\nlabelSelector:\n  matchLabels:\n    region: eu',
  },
  {
    ...{ ...common, severity: 'deny', subject: strategy, ...atStage, path: ['spec', 'stages', 1, 'labelSelector'] },
    message: '50% of "a:b, c" is 0',
    fix: 'Write a number.',
  },
  {
    ...{ ...common, severity: 'warn', subject: release, ...atRun, path: [] },
    ...{ message: 'names no snapshot', fix: 'Name one.' },
  },
  {
    ...{ ...common, severity: 'audit', subject: release, ...atRun, path: ['spec'] },
    ...{ message: 'is noted', fix: 'Nothing to do.' },
  },
  unknown,
];

const plan: PlanView = {
  placement: 'shop',
  strategy: 'rings',
  snapshot: '2',
  stages: [
    {
      name: 'canary',
      clusters: [{ name: 'eu-1', labels: { ring: 'canary' }, errors: [] }],
      ...{ maxConcurrency: 1, atOnce: 1, batches: 1, before: [], after: ['approval'] },
    },
  ],
  deletion: ['old-1'],
  leftOut: [],
  shortestSeconds: 60,
};

const errors = [
  { file: 'deploy/broken.yaml', line: 2, column: 5, message: 'is not valid YAML: a bracket is not closed' },
  { file: '<stdin>', message: 'holds no manifests' },
];
const objects = [
  { subject: strategy, ...atStage },
  { subject: release, ...atRun },
  { subject: { ...strategy, name: 'sound' }, file: 'deploy/sound.yaml', line: 1, column: 1 },
];

const [suppressedFinding = unknown] = findings;

const check: CheckReport = {
  ...{ of: 'check', objects, findings, errors, failures: [], files: 4, checked: 3, passedOver: 2, fleet: 'none' },
  filesPassedOver: { withoutObjects: 12, ignored: 3, templates: 1 },
  suppressed: [{ ...suppressedFinding, line: 20, reason: 'agreed on with the team' }],
  unused: [{ file: 'deploy/rings, prod.yaml', line: 2, column: 1, message: 'this comment suppresses nothing' }],
  plans: () => [{ title: 'StagedUpdateRun team-a/release-42', plan }],
};
const planned: PlanReport = {
  ...{ of: 'plan', title: 'StagedUpdateRun team-a/release-42', plan, objects: objects.slice(1, 2), errors: [] },
  ...{ findings: findings.filter(({ subject }) => subject === release), failures: [] },
};
const audited: AuditReport = {
  of: 'audit',
  objects: objects.map(({ subject }) => ({ subject })),
  findings: findings.map(({ file: _file, line: _line, column: _column, ...finding }) => finding),
  ...{ errors: [], judged: 3 },
  failures: [{ rule: rule.id, error: new Error('a bug') }],
};

const reports = { check, plan: planned, audit: audited } as const;
const extensions: Readonly<Record<string, string>> = {
  ...{ text: 'txt', json: 'json', sarif: 'sarif', junit: 'xml', github: 'txt', gitlab: 'json', markdown: 'md' },
  html: 'html',
};
const options = { style: styleOf(false), folder, rules: [rule] };

type Print = (report: Report, how: typeof options) => string;
const printers = new Map<string, Print>();
for (const [command, ofCommand] of Object.entries(formats)) {
  for (const [format, load] of Object.entries(ofCommand as Readonly<Record<string, () => Promise<unknown>>>)) {
    printers.set(`${command} ${format}`, (await load()) as Print);
  }
}

function render(command: keyof typeof reports, format: string, report: Report = reports[command]): string {
  const print = printers.get(`${command} ${format}`);
  if (print === undefined) throw new Error(`${command} has no ${format}`);
  return print(report, options);
}

const all = (Object.keys(reports) as (keyof typeof reports)[]).flatMap((command) =>
  Object.keys(formats[command]).map((format) => [command, format] as const),
);

describe('the report of', () => {
  // UPDATE_GOLDEN=1 writes them; look at the difference before you commit it.
  test.each(all)('%s in %s is as it is on file', (command, format) => {
    const path = join(import.meta.dirname, 'golden', `${command}-${format}.${extensions[format] ?? ''}`);
    const text = render(command, format).replaceAll(
      /"(version|semanticVersion)": "\d+\.\d+\.\d+[^"]*"/g,
      '"$1": "0.0.0"',
    );
    if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(path, text);
    expect(text).toBe(readFileSync(path, 'utf8'));
  });
});

const ajv = new Ajv({ strictTypes: false });
const shapeOf = {
  sarif: sarifProblems,
  gitlab: gitlabProblems,
  junit: junitProblems,
} as const;

function jsonProblems(command: keyof typeof reports, text: string): unknown {
  const validate = ajv.compile({ ...reportSchemas[command], $id: undefined });
  return validate(JSON.parse(text)) ? [] : validate.errors;
}

describe('what the specification of a format demands holds for', () => {
  const commands = Object.keys(reports) as (keyof typeof reports)[];
  test.each(commands)('%s', (command) => {
    for (const [format, problems] of Object.entries(shapeOf)) expect(problems(render(command, format))).toEqual([]);
    expect(annotationsIn(render(command, 'github')).length).toBeGreaterThan(0);
    expect(jsonProblems(command, render(command, 'json'))).toEqual([]);
  });

  test('the judgement of all examples', async () => {
    const scratch = scratchFolder();
    const files = Object.keys(shapeOf).map((format) => `--format=${format}=${join(scratch, format)}`);
    const all = ['examples/bad', 'examples/warn', '--fleet', 'examples/fleet'];
    for (const [command, ...argv] of [
      ['check', ...all],
      ['audit', '--fleet', 'examples/fleet'],
    ] as const) {
      const { out } = await run([command, ...argv, '--format=json', ...files]);
      expect(jsonProblems(command, out)).toEqual([]);
      for (const [format, problems] of Object.entries(shapeOf)) {
        expect(problems(readFileSync(join(scratch, format), 'utf8'))).toEqual([]);
      }
    }
  }, 60_000);
});

describe('SARIF', () => {
  interface Result {
    readonly ruleId: string;
    readonly locations: readonly {
      readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
    }[];
    readonly partialFingerprints: unknown;
  }
  const resultsOf = (text: string): readonly Result[] =>
    (JSON.parse(text) as { runs: { results: Result[] }[] }).runs[0]?.results ?? [];

  test('has the place of each finding, and the help of each rule', async () => {
    const { out } = await run(['check', 'examples/bad/strategy-stages-disjoint.yaml', '--format', 'sarif']);
    const [result] = resultsOf(out);
    expect(result).toMatchObject({
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'examples/bad/strategy-stages-disjoint.yaml', uriBaseId: 'SRCROOT' },
            region: { startLine: 14, startColumn: 7 },
          },
        },
      ],
    });
    expect(out).toContain('"markdown": ');
  });

  test('knows a finding again after lines were added above it', async () => {
    const text = readFileSync('examples/bad/strategy-stages-disjoint.yaml', 'utf8');
    const [before, after] = await Promise.all(
      [text, `# a line\n# another\n${text}`].map(async (input) => {
        const { out } = await run(['check', '-', '--format', 'sarif'], { input });
        return resultsOf(out).map(({ partialFingerprints }) => partialFingerprints);
      }),
    );
    expect(before).toEqual(after);
  });
});

describe('several reports at once', () => {
  const scratch = scratchFolder();
  const bad = 'examples/bad/strategy-stages-disjoint.yaml';

  test('go to standard output and into files', async () => {
    const [sarif, junit] = [join(scratch, 'a=b.sarif'), join(scratch, 'junit.xml')];
    const { code, out } = await run([
      'check',
      bad,
      '--format',
      'json',
      '--format',
      `sarif=${sarif}`,
      '--format',
      `junit=${junit}`,
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toHaveProperty('findings');
    expect(sarifProblems(readFileSync(sarif, 'utf8'))).toEqual([]);
    expect(junitProblems(readFileSync(junit, 'utf8'))).toEqual([]);
  });

  test('leave standard output to people', async () => {
    const file = join(scratch, 'out.md');
    const { out } = await run(['check', bad, '--format', `markdown=${file}`], { isColoured: true });
    expect(out).toContain(`${bad}:14:7`);
    expect(readFileSync(file, 'utf8')).not.toContain('\u001b');
  });

  test.each([
    [['--format', 'json', '--format', 'sarif'], 'Only one report can go to standard output'],
    [['--format', 'json=x', '--format', 'sarif=x'], 'Only one report can go to x'],
    [['--format', 'xml'], 'Allowed choices are text, json, sarif, junit, github, gitlab, markdown.'],
    [['--format', 'json='], 'There is no file after the "=".'],
  ])('%j is wrong use', async (argv, message) => {
    const { code, out, err } = await run(['check', bad, ...argv]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('a file that cannot be written is told, with exit code 2', async () => {
    const { code, err } = await run(['check', bad, '--format', `sarif=${scratch}/nowhere/out`]);
    expect(code).toBe(2);
    expect(err).toContain('nowhere/out: cannot be written: ');
  });
});

describe('a hostile text gets nowhere in', () => {
  const evil: CheckReport = {
    ...check,
    findings: [
      {
        ...{ ...common, severity: 'deny', subject: { ...strategy, name: hostile }, path: ['metadata', hostile] },
        ...{ ...atStage, file: `a]]></failure><script>${hostile}.yaml` },
        // What a rule says is escaped where it says it.
        message: `[a](https://evil) ${quoted(hostile)}`,
        fix: fixWith('Do it.', `\`\`\`\` ]]> ${quoted(hostile)}`),
      },
    ],
    objects: [{ subject: { ...strategy, name: hostile }, ...atStage, file: `a]]></failure><script>${hostile}.yaml` }],
    errors: [{ file: `${hostile}]]>`, line: 1, column: 1, message: hostile }],
    suppressed: [],
    unused: [],
    plans: () => [{ title: `\`\`${hostile}`, plan: { ...plan, placement: hostile } }],
  };
  const voiceless = (text: string): void => {
    expect(text).not.toMatch(/(?![ \n])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
    expect(text).not.toMatch(/^\s*::|##\[|##vso/m);
    expect(text).not.toMatch(/^\s*(?:EVIL|Fix: EVIL|touch PWNED)/m);
  };

  test.each(['text', 'json', 'sarif', 'gitlab', 'junit', 'markdown'])('%s', (format) => {
    const text = render('check', format, evil);
    voiceless(text);
    if (format === 'junit') expect(junitProblems(text)).toEqual([]);
    if (format === 'sarif') expect(sarifProblems(text)).toEqual([]);
    if (format === 'gitlab') expect(gitlabProblems(text)).toEqual([]);
  });

  test('github', () => {
    const annotations = annotationsIn(render('check', 'github', evil));
    expect(annotations.map(({ level }) => level)).toEqual(['error', 'error']);
    for (const { text, properties } of annotations) {
      voiceless(text);
      for (const value of Object.values(properties)) voiceless(value);
    }
  });

  test('markdown, where all of it stays inside code', () => {
    const fence = /^(`{3,})text\n[\s\S]*?\n\1$/gm;
    const outside = render('check', 'markdown', evil)
      .replaceAll(fence, '')
      .replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/g, '');
    expect(outside).not.toMatch(/EVIL|script|evil|PWNED/);
  });
});

test('what cannot be checked is neither a warning nor a refusal', async () => {
  const { code, out } = await run(['check', 'examples/good', '--format', 'json', '--fail-on', 'warn']);
  const { findings: told } = JSON.parse(out) as { findings: { severity: string; outcome: string }[] };
  const untold = told.filter(({ outcome }) => outcome === 'undetermined');
  expect(untold.length).toBeGreaterThan(0);
  expect(untold.filter(({ severity }) => severity !== 'audit')).toEqual([]);
  expect(code).toBe(0);
});

test('a warning that fails is told, however quiet', async () => {
  const warning = 'examples/warn/run-not-started.yaml';
  const argv = ['check', warning, '--fleet', 'examples/fleet', '--quiet'];
  expect(await run(argv)).toMatchObject({ code: 0, out: '' });
  const strict = await run([...argv, '--fail-on', 'warn']);
  expect(strict.code).toBe(1);
  expect(strict.out).toContain('[run-not-started]');
});

test('what thousands of files leave open is one line that people can read', () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({ ...unknown, message: `${unknown.message}-${at}` }));
  const line = render('check', 'text', { ...check, findings: many, errors: [] })
    .split('\n')
    .find((text) => text.startsWith('not checked'));
  expect(line?.length).toBeLessThan(1000);
  expect(line).toContain(' and 4990 more');
});
