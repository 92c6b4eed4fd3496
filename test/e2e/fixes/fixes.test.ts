import { beforeAll, expect, test } from '@jest/globals';
import { catalogue } from '../../../src/rules/index.js';
import { printedFixes } from '../../support/printed-fixes.js';
import { warningCommands } from '../../support/warning-commands.js';
import { useGuardedHub } from '../harness/use-guarded-hub.js';
import { joinMembers } from '../harness/world.js';
import { caseGroups, isOutOfReach, softRules, unprintable } from './catalogue.js';
import { frozen } from './snapshot-cases.js';
import { tryAll } from './try-all.js';
import { noticeCases, warningCases } from './warning-cases.js';

const it = useGuardedHub({
  config: {
    claims: { settleSeconds: 5 },
    retry: { defaultSeconds: 2 },
    freeze: [{ name: 'for good', from: '2026-01-01T00:00', until: '2999-01-01T00:00', placementLabels: frozen }],
  },
});
beforeAll(() => joinMembers(it().hub), 30_000);

const cases = Object.values(caseGroups).flat();

test('every fix that a refusal prints is executed', () => {
  const listed = Object.entries(printedFixes).flatMap(([rule, fixes]) =>
    Object.keys(fixes).map((when) => [rule, when]),
  );
  const executed = new Set(cases.map(({ rule, when }) => `${rule} ${when}`));
  const left = listed.filter(([rule = '', when = '']) => unprintable[rule]?.[when] === undefined);
  expect(left.filter(([rule, when]) => !executed.has(`${rule} ${when}`))).toEqual([]);
  const excused = Object.entries(unprintable).flatMap(([rule, fixes]) =>
    Object.keys(fixes).map((when) => [rule, when]),
  );
  expect(excused.filter(([rule = '', when = '']) => printedFixes[rule]?.[when] === undefined)).toEqual([]);
});

test('every rule that refuses is met, whether or not it prints something to paste', () => {
  const met = new Set(cases.map(({ rule }) => rule));
  const unmet = catalogue.filter(({ id }) => !softRules.includes(id) && !isOutOfReach(id) && !met.has(id));
  expect(unmet.map(({ id }) => id)).toEqual([]);
});

test('every rule that prints a command in a warning has it executed', () => {
  const executed = new Set(warningCases.map(({ rule }) => rule));
  expect(warningCommands.filter((id) => !executed.has(id))).toEqual([]);
});

tryAll(it, { fixes: caseGroups.asShipped, warnings: warningCases, notices: noticeCases });
