import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import type { Finding } from '../../../src/engine/verdict.js';
import inOneStage from '../../../src/rules/run/run-cluster-in-one-stage.js';
import inSomeStage from '../../../src/rules/run/run-cluster-in-some-stage.js';
import sortingLabel from '../../../src/rules/run/run-sorting-label.js';
import { arbitraryFleet, type ArbitraryFleet } from '../../support/arbitrary-fleet.js';
import { creation, placement, policySnapshot, run, strategy } from '../../support/builders.js';
import { wholeCommands } from '../../support/printed-fixes.js';
import { changeIn, fleetIn, scopes } from '../../support/scopes.js';
import { testNow } from '../../support/rule-tester.js';

type Labels = Record<string, string>;
const [scope] = scopes as readonly [(typeof scopes)[number]];
const release = changeIn(scope, creation(run('release')));

function judge({ members, bindings, strategy: rings }: ArbitraryFleet): readonly Finding[] {
  return evaluate(release, {
    rules: [inOneStage, inSomeStage, sortingLabel],
    fleet: fleetIn(scope, [placement(), policySnapshot(), rings, ...members, ...bindings]),
    policy: defaultPolicy,
    now: testNow,
  }).findings;
}

/** The lines of a fix, in each of the ways that it offers; none where it leaves the rest to a person. */
function waysOf(fix: string): readonly (readonly string[])[] {
  const lines = fix.split('\n').slice(1);
  if (lines.some((line) => line.startsWith('kubectl edit'))) return [];
  const others = lines.flatMap((line) => (line.startsWith('# or: ') ? [[line.slice('# or: '.length)]] : []));
  return [lines.filter((line) => !line.startsWith('#')), ...others];
}

function follow(lines: readonly string[], fleet: ArbitraryFleet): ArbitraryFleet {
  return wholeCommands(lines).reduce((so, line) => {
    const patch = /^kubectl patch clusterstagedupdatestrategies rings --type=json -p '(.*)'$/s.exec(line)?.[1];
    if (patch !== undefined) return patchStrategy(parse(patch) as readonly Operation[], so);
    const words = /^kubectl label memberclusters (.*) --overwrite$/.exec(line)?.[1]?.split(' ');
    if (words === undefined) throw new Error(`cannot follow: ${line}`);
    return label(words, so);
  }, fleet);
}

function label(words: readonly string[], fleet: ArbitraryFleet): ArbitraryFleet {
  const isChange = (word: string): boolean => /=|-$/.test(word);
  const names = words.filter((word) => !isChange(word));
  const members = fleet.members.map((member) => {
    const metadata = member.json['metadata'] as { name: string; labels: Labels };
    if (!names.includes(metadata.name)) return member;
    const labels = new Map(Object.entries(metadata.labels));
    for (const word of words.filter(isChange)) {
      const [key = '', value = ''] = word.split('=');
      if (word.endsWith('-')) labels.delete(word.slice(0, -1));
      else labels.set(key, value);
    }
    return { ...member, json: { metadata: { ...metadata, labels: Object.fromEntries(labels) } } };
  });
  return { ...fleet, members };
}

interface Operation {
  readonly op: 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

function patchStrategy(operations: readonly Operation[], fleet: ArbitraryFleet): ArbitraryFleet {
  const stages = fleet.stages.map((stage, index) => {
    const own = operations.filter(({ path }) => path.startsWith(`/spec/stages/${String(index)}/`));
    return own.reduce((so, { path, value }) => ({ ...so, [path.split('/').at(-1) ?? '']: value }), stage);
  });
  return { ...fleet, stages, strategy: strategy('rings', ...stages) };
}

/** Which clusters a rule names, without the values that belong to them. */
function named(rule: string, findings: readonly Finding[]): ReadonlySet<string> {
  const messages = findings.filter((finding) => finding.rule === rule).map(({ message }) => message);
  return new Set(messages.flatMap((message) => message.match(/"c\d"/g) ?? []));
}

const rules = [inOneStage.id, inSomeStage.id, sortingLabel.id];

test.each(rules)('whoever follows the fix of %s is rid of the problem and gets no other', (rule) => {
  let followed = 0;
  fc.assert(
    fc.property(arbitraryFleet, (fleet) => {
      const before = judge(fleet);
      for (const { rule: of, fix, message } of before) {
        if (of !== rule) continue;
        for (const lines of waysOf(fix)) {
          followed++;
          const after = judge(follow(lines, fleet));
          expect(after.map((finding) => finding.message)).not.toContain(message);
          for (const each of rules) {
            const known = named(each, before);
            expect([...named(each, after)].filter((cluster) => !known.has(cluster))).toEqual([]);
          }
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(followed).toBeGreaterThan(10);
});
