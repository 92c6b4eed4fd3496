export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The ServiceAccount behind a user name; undefined for users that are none. */
export function serviceAccountOf(user: string): ServiceAccountName | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
