import { beforeAll } from '@jest/globals';
import { useGuardedHub } from '../harness/use-guarded-hub.js';
import { joinMembers } from '../harness/world.js';
import { makeEarlyRequests } from './approval-cases.js';
import { caseGroups, strictRules } from './catalogue.js';
import { oldStrategies } from './stage-cases.js';
import { apartNamespace, hastyNamespace, idleNamespace, makeIgnoredRun } from './strict-cases.js';
import { tryAll } from './try-all.js';

/** In a namespace that the hub agent does not look at there is nothing that a run could name. */
const withoutPlacements = Object.fromEntries(
  ['run-placement-exists', 'run-placement-scheduled', 'run-has-clusters', 'run-strategy-exists'].map((id) => [
    id,
    'off',
  ]),
);

// An operator may turn every warning into a refusal, and then its fix is printed as well.
const it = useGuardedHub({
  before: async (hub) => {
    await makeIgnoredRun(hub);
    await makeEarlyRequests(hub);
    await oldStrategies(hub);
  },
  config: {
    claims: { settleSeconds: 5 },
    retry: { defaultSeconds: 2 },
    rules: { ...strictRules, 'run-not-started': 'warn' },
    namespaces: {
      // Whether a placement of another case takes this one along is a matter of luck.
      'team-a': { rules: { 'run-namespace-on-members': 'off' } },
      [apartNamespace]: { rules: withoutPlacements },
      [hastyNamespace]: {
        rules: { ...withoutPlacements, 'run-namespace-on-members': 'off', 'run-not-started': 'deny' },
      },
      [idleNamespace]: { rules: { ...withoutPlacements, 'run-namespace-on-members': 'off' } },
    },
  },
});
beforeAll(() => joinMembers(it().hub), 30_000);

tryAll(it, { fixes: caseGroups.strict });
