import rule from '../../../src/rules/run/run-removes-clusters.js';
import { binding, creation, placement, policySnapshot, run, lateStart } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const release = run('release');
const path = 'spec.placementName';
const gone = (name: string, policy = 'shop-0') => binding(name, { state: 'Unscheduled', policySnapshot: policy });

testRule(rule, {
  accepts: {
    'clusters that keep the resources': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu'), binding('us', { state: 'Bound' })],
    },
    'a removal from another placement': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu'), binding('us', { of: 'store', state: 'Unscheduled' })],
    },
    'a cluster that is still bound by an older policy': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu', { policySnapshot: 'shop-7' })],
    },
    'a placement that is not scheduled, which another rule tells': {
      change: creation(release),
      fleet: [placement(), gone('eu')],
    },
    'the start of a run': { change: lateStart(release), fleet: [placement(), policySnapshot(), gone('eu')] },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'a cluster that the placement no longer picks': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), binding('eu'), gone('us')],
      findings: [{ path, message: 'the run will delete the resources of placement "shop" from "us"' }],
    },
    'clusters of this policy and of an older one': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), gone('us'), gone('asia', 'shop-7')],
      findings: [{ path, message: 'the run will delete the resources of placement "shop" from "asia" and "us"' }],
    },
    'a run that is not started yet': {
      change: creation(run('release', { spec: { state: 'Initialize' } })),
      fleet: [placement(), policySnapshot(), gone('us')],
      findings: [{ path, message: 'the run will delete the resources of placement "shop" from "us"' }],
    },
  },
});
