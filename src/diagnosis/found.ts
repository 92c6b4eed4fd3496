import type { Diagnosis } from './diagnosis.js';

/** What one phase of a run comes to; what all have alike is added to it. */
export type Found = Pick<Diagnosis, 'state' | 'health' | 'causes' | 'expect' | 'unseen'> & {
  /** Clusters that hang. */
  readonly inTrouble?: readonly string[];
};

/** What nobody should wait for. */
export const expectations = {
  notRevived:
    'A run that has failed cannot be revived: KubeFleet never looks at it again, whatever is changed. Fix the cause, then create a new run under another name.',
  notRolledBack: 'Nothing is rolled back: clusters that were updated keep what they have.',
  recovers: 'A stuck run goes on by itself when the cluster recovers; KubeFleet may take up to 17 minutes to notice.',
  triesAgain:
    'KubeFleet tries a run without a status again by itself, after up to 17 minutes; a new run it takes up at once.',
  stopWaits: 'Stop does not come to an end while a cluster is stuck.',
  noRejection: 'Approved=False does not end a run, and nothing but an approval opens a gate.',
  waitsAnew: 'A timed wait starts again from zero when a run is stopped and resumed.',
  neverStuck: 'While it removes resources KubeFleet never calls a run stuck, however long it takes.',
} as const;
