import rule from '../../../src/rules/run/run-empty-stage.js';
import {
  binding,
  cluster,
  creation,
  placement,
  policySnapshot,
  run,
  stage,
  lateStart,
  strategy,
} from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';

const release = run('release');
const scheduled = [placement(), policySnapshot(), cluster('eu', { ring: 'canary' }), binding('eu')];
const gated = strategy('rings', stage('canary'), stage('prod', { beforeStageTasks: [{ type: 'Approval' }] }));
const kubefleet = (version: string) => ({ kubefleet: { version } });

const empty = (name: string, consequence = ''): Expected => ({
  path: 'spec.stagedRolloutStrategyName',
  message: `stage "${name}" of strategy "rings" selects no cluster of placement "shop"${consequence}`,
});
const skipped = ': KubeFleet skips its approvals and waits';
const held = ': its approvals and waits hold all the same';

testRule(rule, {
  accepts: {
    'stages with clusters': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', stage('canary'), stage('prod')),
        cluster('us', { ring: 'prod' }),
        binding('us'),
      ],
    },
    'empty stages of a run that only removes': {
      change: creation(release),
      fleet: [placement(), policySnapshot(), gated, binding('eu', { state: 'Unscheduled' })],
    },
    'stages that are empty while clusters are bound by an older policy': {
      change: creation(release),
      fleet: [...scheduled, gated, binding('us', { policySnapshot: 'shop-7' })],
    },
    'the start of a run': { change: lateStart(release), fleet: [...scheduled, gated] },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'a stage without clusters': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('canary'), stage('prod'))],
      findings: [empty('prod')],
    },
    'each of several': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('dev'), stage('canary'), { name: 'none' })],
      findings: [empty('dev'), empty('none')],
    },
    'a cluster of the stage that the placement has not picked': {
      change: creation(release),
      fleet: [...scheduled, strategy('rings', stage('canary'), stage('prod')), cluster('us', { ring: 'prod' })],
      findings: [empty('prod')],
    },
    'a gate, if nobody says which KubeFleet it is': {
      change: creation(release),
      fleet: [...scheduled, gated],
      findings: [empty('prod', `${skipped} (v0.3.1 and older do not)`)],
    },
    'a wait after the stage as well': {
      change: creation(release),
      fleet: [
        ...scheduled,
        strategy('rings', stage('canary'), stage('prod', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }] })),
      ],
      findings: [empty('prod', `${skipped} (v0.3.1 and older do not)`)],
    },
    'a gate of v0.3.1': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('v0.3.1'),
      findings: [empty('prod', held)],
    },
    'a gate of 0.3': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('0.3'),
      findings: [empty('prod', held)],
    },
    'a gate of v0.2.2': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('v0.2.2'),
      findings: [empty('prod', held)],
    },
    'a gate of main': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('main'),
      findings: [empty('prod', skipped)],
    },
    'a gate of v0.4.0': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('v0.4.0'),
      findings: [empty('prod', skipped)],
    },
    'a gate of v0.30.0': {
      change: creation(release),
      fleet: [...scheduled, gated],
      policy: kubefleet('v0.30.0'),
      findings: [empty('prod', skipped)],
    },
    'a dry run too': {
      change: creation(release, { dryRun: true }),
      fleet: [...scheduled, strategy('rings', stage('canary'), stage('prod'))],
      findings: [empty('prod')],
    },
  },
});
