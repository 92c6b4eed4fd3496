import type { MemberCluster } from './model.js';

/** A fleet hands out the same list until a cluster of it changes; so this is made once for many reviews. */
const made = new WeakMap<readonly MemberCluster[], ReadonlyMap<string, MemberCluster>>();

/** Finds clusters of a list by their names: a placement has few of all there are. */
export function memberIn(members: readonly MemberCluster[]): (name: string) => MemberCluster | undefined {
  const byName = made.get(members) ?? new Map(members.map((member) => [member.metadata.name, member]));
  made.set(members, byName);
  return (name) => byName.get(name);
}
