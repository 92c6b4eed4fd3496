import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { run } from './support/captured-io.js';
import { commandsIn, documents, type DocumentCommand } from './support/document-commands.js';
import { exampleFiles, readRepositoryFile } from './support/examples.js';
import { scratchFolder } from './support/scratch.js';

/** What is executed by another test, which names the document or the command. */
const elsewhere: readonly (readonly [file: string, what: RegExp, test: string])[] = [
  ['README.md', /^helm install/, 'test/e2e/install/by-the-documents.test.ts'],
  ['charts/stageguard/README.md', /^helm install/, 'test/deploy/chart.test.ts'],
  ['docs/adopt.md', /^kubectl .* logs/, 'test/e2e/install/looking.test.ts'],
  ['docs/certificates.md', /"path":"\/data\/(tls\.crt|ca\.key)"/, 'test/endurance/certificates.test.ts'],
  ['docs/check.md', /^stageguard export/, 'test/e2e/gitops.test.ts'],
  ['docs/floor.md', /^kubectl delete validatingadmission/, 'test/e2e/install/by-the-documents.test.ts'],
  ['docs/floor.md', /^stageguard floor/, 'test/e2e/floor/alone.test.ts'],
  ['docs/gitops.md', /shop-1/, 'test/e2e/gitops/example.test.ts'],
  ['docs/install.md', /^openssl|^printf|clientCa/, 'test/e2e/harness/certificate.ts'],
  ['docs/install.md', /./, 'test/e2e/install/by-the-documents.test.ts'],
  ['docs/operations.md', /role stageguard-armed$|^helm upgrade/, 'test/e2e/monitoring/scrape.test.ts'],
  ['docs/operations.md', /./, 'test/e2e/install/looking.test.ts'],
  ['docs/package.md', /^npm|^source/, 'test/package.test.ts'],
  ['docs/package.md', /^kubectl stageguard/, 'test/e2e/plugin.test.ts'],
  ['docs/pipelines.md', /^npm exec/, 'test/pipelines/pipelines.test.ts'],
  ['docs/rollout.md', /^kubectl|audit$|--live$/, 'test/e2e/install/looking.test.ts'],
  ['docs/troubleshooting.md', /./, 'test/e2e/install/looking.test.ts'],
  ['docs/uninstall.md', /./, 'test/e2e/install/by-the-documents.test.ts'],
  ['docs/upgrade.md', /./, 'test/e2e/install/by-the-documents.test.ts'],
  ['docs/try.md', / try /, 'test/cli/try.test.ts'],
];

/** What no test executes, and why. */
const excused: readonly (readonly [file: string, what: RegExp, why: string])[] = [
  [
    'examples/README.md',
    /^npm start|^curl/,
    'a server that stays up; test/http/examples.test.ts sends the same reviews',
  ],
  [
    'docs/diagnose.md',
    /^stageguard (diagnose|watch)(?! --fleet)/,
    'they ask a hub; test/cli/diagnose.test.ts runs them on files',
  ],
  ['docs/diagnose.md', /^kubectl delete/, 'shows what is said; test/guard/with-diagnosis.test.ts holds it'],
  ['docs/exemptions.md', /^kubectl/, 'names of a story; test/e2e/operator-policy.test.ts has its own'],
  ['docs/floor.md', /velero/, 'names a tool that is not here'],
  ['docs/install.md', /^docker/, 'needs Docker; test/deploy/dockerfile.test.ts does what the Dockerfile says'],
  ['docs/try.md', /^npm/, 'installs and serves; tools/start.mjs'],
];

const all = documents().flatMap(commandsIn);
const find = (rows: typeof excused, { file, command }: DocumentCommand) =>
  rows.find(([name, what]) => name === file && what.test(command));

const isOurs = (command: string): boolean => /^(?:npx |node dist\/)?stageguard(?:\.js)? /.test(command);
const here = all.filter((one) => isOurs(one.command) && !find(excused, one) && !find(elsewhere, one));

test('every command is executed, or excused by name', () => {
  const forgotten = all.filter((one) => !here.includes(one) && !find(excused, one) && !find(elsewhere, one));
  expect(forgotten).toEqual([]);
});

test('every excuse is one, and every test that is named is there', () => {
  const unused = [...excused, ...elsewhere].filter(
    ([file, what]) => !all.some((one) => one.file === file && what.test(one.command)),
  );
  expect(unused).toEqual([]);
  expect(elsewhere.filter(([, , file]) => !existsSync(file))).toEqual([]);
});

describe('at a desk', () => {
  const desk = scratchFolder();
  beforeAll(() => {
    const program = join(desk, 'stageguard.mjs');
    execFileSync(process.execPath, ['tools/build.mjs', program]);
    writeFileSync(join(desk, 'stageguard'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
    cpSync('examples', join(desk, 'examples'), { recursive: true });
    // The names that documents use for what people have of their own.
    cpSync('examples/good', join(desk, 'deploy'), { recursive: true });
    cpSync('examples/good/run-explicit-index.yaml', join(desk, 'run.yaml'));
    writeFileSync(join(desk, 'stageguard.yaml'), 'rules: {strategy-stages-disjoint: warn}\n');
    cpSync(join(desk, 'stageguard.yaml'), join(desk, 'new-config.yaml'));
    mkdirSync(join(desk, 'cases'));
    for (const name of ['cases.yaml', 'cases/rings.yaml']) writeFileSync(join(desk, name), oneCase);
    writeFileSync(join(desk, 'hub.json'), fleetAsOneFile());
    mkdirSync(join(desk, '.config/fish/completions'), { recursive: true });
  }, 60_000);

  /** What says beside its report that there is nothing to do. */
  const isNothingToFix = / --fix/;

  /** What ends with 1 because something is refused, or is the matter. */
  const isRefused = /examples\/bad|^stageguard check \. |^stageguard diagnose|runs --fleet/;

  const lines = new Set(
    here.map(({ command }) =>
      command.replace(/^(?:npx |node dist\/)stageguard(?:\.js)?/, 'stageguard').replace(/ +# .*/, ''),
    ),
  );

  test.each([...lines])(
    '%s',
    (line) => {
      const env = { ...process.env, PATH: `${desk}:${process.env['PATH'] ?? ''}`, HOME: desk };
      const { status, stderr } = spawnSync('bash', ['-c', line], { cwd: desk, env, encoding: 'utf8' });
      expect(stderr).toBe(isNothingToFix.test(line) ? 'Nothing is changed.\n' : '');
      expect(isRefused.test(line) ? [1, 2] : [0]).toContain(status);
    },
    60_000,
  );
});

const oneCase = `
cases:
  - name: rings are taken without a word
    write: ${join(process.cwd(), 'examples/good/strategy-rings.yaml')}
    given: ${join(process.cwd(), 'examples/fleet')}
    expect: {}
`;

function fleetAsOneFile(): string {
  const texts = exampleFiles('fleet').map(({ text }) => text);
  return texts.join('\n---\n');
}

describe('what stands in a line of text', () => {
  const spans = documents().flatMap((file) =>
    [...readRepositoryFile(file).matchAll(/`stageguard ([^`]+)`/g)].map(([, command = '']) => [file, command] as const),
  );

  test('a command and its options are there', async () => {
    expect(spans.length).toBeGreaterThan(30);
    for (const [file, command] of spans) {
      const [name = '', ...words] = command.split(/\s+/);
      const { code, out } = await run([name, '--help']);
      const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
      const missing = options.filter((option) => !out.includes(option));
      expect({ file, command, code, missing }).toEqual({ file, command, code: 0, missing: [] });
    }
  }, 60_000);
});

test('every link between documents leads somewhere', () => {
  const files = [...documents(), 'docs/rules.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const broken = files.flatMap((file) =>
    [...readRepositoryFile(file).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(file, target))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(file)) return false;
  if (anchor === undefined || !file.endsWith('.md')) return true;
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].some(
    ([, heading = '']) => anchorOf(heading) === anchor,
  );
}

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

test('the index has every document', () => {
  const index = readRepositoryFile('docs/README.md');
  const missing = documents().filter(
    (file) => file.startsWith('docs/') && file !== 'docs/README.md' && !index.includes(`(${file.slice(5)})`),
  );
  expect(missing).toEqual([]);
});
