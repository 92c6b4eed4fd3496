import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { judgeManifests } from '../../src/guard/manifest-judge.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { findingLine } from '../../src/engine/message.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetIn } from '../../src/sources/manifests/fleet-files.js';
import { parseManifests } from '../../src/sources/manifests/parse.js';
import { readManifests } from '../../src/sources/manifests/read.js';
import { now, run } from '../support/captured-io.js';
import { startExampleGuard } from '../support/example-guard.js';
import { everyMistakeIn, examplesIn } from '../support/mistakes.js';

let guard: Awaited<ReturnType<typeof startExampleGuard>> | undefined;
beforeAll(async () => {
  guard = await startExampleGuard();
});
afterAll(() => guard?.stop());

const known = fleetIn(await readManifests(['examples/fleet']));
const nothingElse = { problems: [], files: 1, passedOver: 0, filesPassedOver: {}, suppressions: [] };

/** A warning is cut where it is long. */
const compared = 150;

/** What rules say of a manifest on its way to a hub; undefined where its shape already keeps it from getting there. */
function saidByCheck(text: string): readonly string[] | undefined {
  const { documents } = parseManifests('stdin', text);
  const manifests = { ...nothingElse, documents };
  const { judged, errors } = judgeManifests({ manifests, known, rules: catalogue, policy: defaultPolicy, now });
  if (errors.length > 0 || judged.some(({ manifest }) => manifest.shape.length > 0)) return undefined;
  const findings = judged.flatMap(({ verdict }) => verdict.findings);
  const told = findings.filter(({ severity, outcome }) => severity !== 'audit' && outcome === 'violated');
  // A warning is one line, and does not say at which field.
  return distinct(told.map((one) => findingLine(one.severity === 'deny' ? one : { ...one, path: [] })));
}

async function saidByWebhook(text: string): Promise<readonly string[]> {
  const { out, err } = await run(['try', '-', '--server', guard?.url ?? ''], { input: text });
  const lines = [...`${out}${err}`.matchAll(/\[[a-z]+(?:-[a-z]+)+\] .*/g)];
  return distinct(lines.map(([line]) => line));
}

function distinct(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.map((line) => line.slice(0, compared)))].sort();
}

test('check and the webhook find the same in examples, and in good ones with one key wrong', async () => {
  const whole = ['good', 'bad', 'warn'].flatMap(examplesIn);
  const wrong = examplesIn('good').flatMap(everyMistakeIn);
  const manifests = [...whole, ...wrong.filter((_, at) => at % 4 === 0)].map((one) => JSON.stringify(one));
  const differences: string[] = [];
  let judged = 0;
  let findings = 0;
  for (const text of new Set(manifests)) {
    // Commands name the run, and nobody knows yet what it will be called.
    if (text.includes('generateName')) continue;
    const ours = saidByCheck(text);
    if (ours === undefined) continue;
    judged++;
    findings += ours.length;
    const theirs = await saidByWebhook(text);
    if (ours.join() !== theirs.join()) differences.push(`${text}\n check: ${ours.join()}\n webhook: ${theirs.join()}`);
  }
  expect(differences.slice(0, 3).join('\n')).toBe('');
  expect(differences).toHaveLength(0);
  // Enough to mean something: what is not of the right shape is not counted.
  expect(judged).toBeGreaterThan(100);
  expect(findings).toBeGreaterThan(80);
}, 120_000);
