/** Objects, or paths to files of them. */
export type Given = string | object | readonly (string | object)[];

export const outcomes = ['refused', 'warned', 'audited', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** The ids of the rules that say something, by what comes of it. */
export type Said = Readonly<Record<Outcome, readonly string[]>>;

/** A write, and what its writer expects the rules to say. */
export interface Case {
  readonly name: string;
  readonly config?: string | object;
  readonly given?: Given;
  readonly write: Given;
  readonly operation: 'apply' | 'delete';
  readonly subresource?: 'status';
  readonly user?: string;
  readonly expect: Said;
}

export interface CasesFile {
  readonly config?: string | object;
  readonly given?: Given;
  readonly now?: string;
  readonly cases: readonly Case[];
}
