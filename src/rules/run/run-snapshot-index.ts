import { listSnapshots } from '../wording/commands.js';
import { yamlString } from '../wording/manifest.js';
import { cannotChangeIndex, hasFixedIndex, replacement } from '../wording/new-run.js';
import { becomesRun, differs, isPending, valueAt } from '../../engine/cel.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { quoted } from '../../fleet/quoted.js';
import { snapshotChoices } from '../targets.js';

/** What Go's strconv.Atoi takes for a whole number: signs and leading zeros are fine with it. */
const goNumber = /^(?<sign>[+-]?)0*(?<digits>[0-9]+)$/;

/** The largest int64. */
const largest = 9223372036854775807n;

/** A longer text is no index: int64 has 19 digits. */
const longestText = 40;

export default defineRule({
  id: 'run-snapshot-index',
  title: 'A snapshot index is a plain whole number',
  severity: 'deny',
  appliesTo: snapshotChoices,
  reads: [],
  mentions: ['UpdateRun'],
  why:
    'KubeFleet fails a run for good if resourceSnapshotIndex is not a whole number of 0 or more. It then looks for the ' +
    'text as it stands, so that "01" does not find snapshot 1.',
  fix: 'Write the index of a resource snapshot as a plain whole number, or leave resourceSnapshotIndex out.',

  floor: {
    kind: 'shape',
    updates: `${isPending} && (${becomesRun} || ${differs(['spec', 'resourceSnapshotIndex'], "''")})`,
    variables: [{ name: 'index', expression: valueAt('object', ['spec', 'resourceSnapshotIndex'], "''") }],
    validations: [
      {
        expression:
          "variables.index == '' || (type(variables.index) == string && variables.index.matches('^(?:0|[1-9][0-9]{0,18})$') && " +
          `(size(variables.index) < 19 || variables.index <= '${String(largest)}'))`,
        message:
          'resourceSnapshotIndex is no plain whole number. Write the index of a resource snapshot, such as "3", or leave it out.',
      },
    ],
  },

  *check(change, { facts }) {
    const { object: run } = change;
    const { resourceSnapshotIndex: index, placementName, stagedRolloutStrategyName } = run.spec;
    if (index === undefined) return;
    const plain = plainIndex(index);
    if (plain === index) return;
    const path = ['spec', 'resourceSnapshotIndex'];
    const found = quoted(index.slice(0, longestText));
    const isFixed = hasFixedIndex(change);
    const anotherRun = (resourceSnapshotIndex?: string): string => {
      const spec = { placementName, stagedRolloutStrategyName };
      const named = resourceSnapshotIndex === undefined ? spec : { ...spec, resourceSnapshotIndex };
      return fixWith(cannotChangeIndex, ...replacement(run, named, facts));
    };
    if (plain !== undefined) {
      yield {
        path,
        message: `${found} finds no snapshot: KubeFleet compares the text, and writes this number as ${quoted(plain)}`,
        fix: isFixed
          ? anotherRun(plain)
          : fixWith(
              'Write the index without a sign and without leading zeros.',
              `resourceSnapshotIndex: ${yamlString(plain)}`,
            ),
        ...(!isFixed && { edit: { of: 'value', to: plain } }),
      };
      return;
    }
    const isTooLarge = /^[0-9]+$/.test(index);
    yield {
      path,
      message: `${found} is ${isTooLarge ? 'more than KubeFleet can count' : 'not a whole number of 0 or more'}`,
      fix: isFixed
        ? anotherRun()
        : fixWith(
            'Leave resourceSnapshotIndex out to roll out the latest resources, or take an index from this list.',
            listSnapshots(placementName, facts.namespace),
          ),
    };
  },
});

/** The index as KubeFleet itself would write it; undefined if it is none. */
function plainIndex(index: string): string | undefined {
  const { sign, digits } = (index.length <= longestText && goNumber.exec(index)?.groups) || {};
  if (digits === undefined) return undefined;
  const number = BigInt(digits);
  const isIndex = number <= largest && (sign !== '-' || number === 0n);
  return isIndex ? String(number) : undefined;
}
