import type { Answer } from './api.js';
import { expectStored, type Hub } from './hub.js';
import { pooled } from './pooled.js';
import { generatedWrites, pathOf, sendDry, storedObjects, type Write } from './writes.js';

/** What an API server says to a write by its definitions alone. */
export interface Outcome {
  readonly isAccepted: boolean;
  /** What is wrong, field by field, in an order that does not depend on the order of the schema. */
  readonly causes: readonly string[];
}

const writes = generatedWrites(900);

/** Sends the same writes to any hub that has no guard yet, and leaves nothing behind. */
export async function outcomesOn(hub: Hub): Promise<readonly Outcome[]> {
  const admin = hub.api('admin');
  const stored = storedObjects();
  const all = <T>(jobs: readonly (() => Promise<T>)[]): Promise<T[]> => Promise.all(pooled(jobs, 10));
  await all(stored.map((one) => async () => expectStored(await admin.create(pathOf(one), one.object))));
  const outcomes = await all(writes.map((write) => async () => outcomeOf(await sendDry(admin, write))));
  await all(stored.map((one) => async () => expectStored(await admin.delete(`${pathOf(one)}/${nameOf(one)}`))));
  return outcomes;
}

const nameOf = ({ object }: Write): string => (object['metadata'] as { name: string }).name;

function outcomeOf({ status, body }: Answer): Outcome {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: { field?: string; message?: string }[] };
  return {
    isAccepted: status < 300,
    causes: causes.map(({ field, message }) => `${field ?? ''}: ${plain(message)}`).sort(),
  };
}

/** Patterns differ in their spelling; what they match is compared by what is accepted. */
function plain(message = ''): string {
  return message.replace(/should match '.*'$/, 'should match');
}

export interface Difference {
  readonly write: Write;
  readonly ours: Outcome;
  readonly theirs: Outcome;
}

/** Where our definitions say something else than those of a version. */
export function differences(
  ours: readonly Outcome[],
  theirs: readonly Outcome[],
  version: string,
): readonly Difference[] {
  return writes.flatMap((write, index) => {
    const [one, other] = [ours[index], theirs[index]];
    if (one === undefined || other === undefined) throw new Error('each write has an outcome on each hub');
    if (version !== 'main' && (hasDoubtfulWaitTime(write) || hasNewerScope(write))) return [];
    const expected = version === 'main' ? one : withoutNewerRules(one);
    return JSON.stringify(expected) === JSON.stringify(other) ? [] : [{ write, ours: expected, theirs: other }];
  });
}

/** KubeFleet up to v0.3.1 takes more wait times than later ones. */
const waitTimes = {
  old: /^0|([0-9]+(\.[0-9]+)?(s|m|h))+$/,
  new: /^(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+$/,
};

function hasDoubtfulWaitTime({ object }: Write): boolean {
  const found = [...JSON.stringify(object).matchAll(/"waitTime":"([^"]*)"/g)].map(([, text = '']) => text);
  return found.some((text) => waitTimes.old.test(text) !== waitTimes.new.test(text));
}

/** The newest of the selection scopes is not known to v1 of that time. */
function hasNewerScope({ family, version, object }: Write): boolean {
  const newer = /"selectionScope":"(?!NamespaceOnly"|NamespaceWithResources")/;
  return family === 'Placement' && version === 'v1' && newer.test(JSON.stringify(object));
}

/** What only the hub agent refused up to v0.3.1; the definitions of later versions say it themselves. */
const newerRules = [
  / cannot be set when placementType is /,
  / cannot be set and numberOfClusters must be set when placementType is PickN/,
  /value must be empty when operator is Exists/,
  /operator must be Exists when key is empty/,
  /name and labelSelector are mutually exclusive/,
];

function withoutNewerRules({ isAccepted, causes }: Outcome): Outcome {
  const left = causes.filter((cause) => !newerRules.some((rule) => rule.test(cause)));
  return { isAccepted: isAccepted || (left.length === 0 && causes.length > 0), causes: left };
}
