import { expect, test } from '@jest/globals';
import { planPicture } from '../../../src/cli/generate/pictures/plan.js';
import { terminalPicture } from '../../../src/cli/generate/pictures/terminal.js';
import { startExampleGuard } from '../../support/example-guard.js';
import { run } from '../../support/captured-io.js';
import { readRepositoryFile } from '../../support/examples.js';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const text = (xml: string): string => xml.replaceAll(/&([\w#]+);/g, (_, name: string) => entities[name] ?? '');

/** What is to be read in a picture, line after line. */
const linesOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, line = '']) => text(line));

test('the refusal of the README is what a guard says', async () => {
  const guard = await startExampleGuard();
  const { err } = await run(['try', 'examples/bad/run-placement-free.yaml', '--server', guard.url]);
  await guard.stop();
  const [command, ...said] = linesOf(readRepositoryFile('docs/pictures/refusal.svg'));
  expect(command).toBe('$ kubectl apply -f examples/bad/run-placement-free.yaml');
  expect(said.join(' ')).toBe(err.trim().replaceAll(/\s+/g, ' '));
});

test('the plan of the README is what `stageguard plan` shows', async () => {
  const { out } = await run([
    'plan',
    'examples/good/run-explicit-index.yaml',
    '--fleet',
    'examples/fleet',
    '--format',
    'json',
  ]);
  const { stages } = JSON.parse(out) as { stages: { name: string; clusters: string[] }[] };
  const lines = linesOf(readRepositoryFile('docs/pictures/plan.svg'));
  const names = stages.flatMap(({ name, clusters }) => [expect.stringMatching(`^${name}, \\d at once$`), ...clusters]);
  expect(lines.slice(2)).toEqual([...names, 'wait 1h', 'approval']);
});

const hostile = '</text><script>alert(1)</script>"&\u202e\u0000\u001b[31m';

test('what somebody else has written is text in a picture, and fits', () => {
  const stage = { name: hostile, clusters: [{ name: hostile, labels: {}, errors: [] }], atOnce: 1, maxConcurrency: 1 };
  const plan = {
    ...{ placement: hostile, strategy: hostile, snapshot: hostile, deletion: [], leftOut: [], shortestSeconds: 0 },
    stages: [{ ...stage, batches: 1, before: [], after: [] }],
  };
  for (const svg of [terminalPicture(hostile, `${hostile.repeat(9)}\n    ${hostile}`), planPicture(hostile, plan)]) {
    expect(svg).not.toMatch(/<script|\u202e/);
    expect(Array.from(svg).filter((char) => char < ' ' && char !== '\n')).toEqual([]);
    expect(
      svg.replaceAll(/<style>[^<]*<\/style>/g, '').replaceAll(/<\/?(?:svg|title|rect|text|path)\b[^<>]*>/g, ''),
    ).not.toMatch(/[<>]/);
  }
  const lines = linesOf(terminalPicture('x', `  ${'word '.repeat(200)}`));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(112);
});

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('every colour can be read, on light and on dark', () => {
  const [light = '', dark = ''] = readRepositoryFile('docs/pictures/refusal.svg').split(
    '@media (prefers-color-scheme: dark)',
  );
  for (const scheme of [light, dark]) {
    const colours = [...scheme.matchAll(/(\w+) \{[^}]*?fill: (#[0-9a-f]{6})/g)].map(([, name, colour]) => [
      name,
      colour,
    ]);
    const grounds = colours.filter(([name]) => name === 'ground' || name === 'box');
    const inks = colours.filter(([name]) => name !== 'ground' && name !== 'box');
    expect(grounds.length * inks.length).toBeGreaterThan(8);
    for (const [, ground = ''] of grounds)
      for (const [name, ink = ''] of inks) expect([name, contrast(ink, ground) >= 4.5]).toEqual([name, true]);
  }
});
