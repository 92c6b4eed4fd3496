import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decodeReview } from '../../src/http/admission-review.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetOf } from '../../src/sources/manifests/objects.js';
import { readManifests } from '../../src/sources/manifests/read.js';
import { now } from '../support/captured-io.js';
import { exampleFiles } from '../support/examples.js';

const { documents } = await readManifests([join(import.meta.dirname, '..', '..', 'examples', 'fleet')]);
const { fleet } = fleetOf(documents, 'complete');

/** What is repaired in the mutating phase is no matter for a rule. */
const judged = exampleFiles('reviews')
  .map(({ path, text }) => [basename(path, '.json'), text] as const)
  .filter(([name]) => name !== 'stamp-approval');

test.each(judged)('the review %s is judged by the rule it is named after, and by no other', (name, text) => {
  const { subject } = decodeReview(JSON.parse(text));
  if (subject === undefined) throw new Error(`no rule can have an opinion on ${name}`);
  const { findings, failures } = evaluate(subject.change, { rules: catalogue, fleet, policy: defaultPolicy, now });
  const severity = catalogue.find(({ id }) => id === name)?.severity;
  expect(failures).toEqual([]);
  expect([...new Set(findings.map((finding) => `${finding.rule} ${finding.severity}`))]).toEqual([
    `${name} ${String(severity)}`,
  ]);
});
