import type { Target } from '../engine/rule.js';

/*
 * When a rule about runs applies. KubeFleet holds a run against its spec when it initializes it, and against what is
 * there when it starts it. A run that is started before it was initialized gets both at once.
 */

const creation = { family: 'UpdateRun', operations: ['CREATE'] } as const satisfies Target;

/** Where a run meets what KubeFleet looks at when it initializes it. */
export const initializations = [
  creation,
  { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run before the run is initialized' },
] as const satisfies readonly Target[];

/** Where a run meets what KubeFleet looks at when it initializes it, and again at each start. */
export const creationsAndStarts = [
  creation,
  { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' },
] as const satisfies readonly Target[];

/** Where a run chooses the snapshot that it will roll out. */
export const snapshotChoices = [
  ...initializations,
  { family: 'UpdateRun', operations: ['UPDATE'], only: 'snapshot index changes before the run is initialized' },
] as const satisfies readonly Target[];
