import rule from '../../../src/rules/run/run-api-version.js';
import {
  approval,
  creation,
  deletion,
  run,
  stage,
  strategy,
  update,
  type ChangeDraft,
} from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import type { Family } from '../../../src/fleet/kinds.js';

const old = { requestVersion: 'v1alpha1' } as const;
const release = run('release');
const rings = strategy('rings', stage('canary'));
const labelled = run('release', { metadata: { labels: { team: 'a' } } });
const dying = run('release', { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } });
const hubAgent = 'system:serviceaccount:fleet-system:hub-agent-sa';

const losses: Partial<Record<Family, string>> = {
  UpdateRun: 'drops spec.state from the stored run, so that the run goes back to Initialize',
  UpdateStrategy: 'drops beforeStageTasks and maxConcurrency from every stage, and so the approvals before stages',
};
const line = 'apiVersion: placement.kubernetes-fleet.io/v1beta1';

function created(family: Family): readonly Expected[] {
  return [
    {
      path: 'apiVersion',
      message: `a write through v1alpha1 ${losses[family] ?? ''}`,
      fix: `Create it with this line in its manifest instead.\n${line}`,
    },
  ];
}

const updated =
  (family: Family, name: string) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'apiVersion',
      message: `a write through v1alpha1 ${losses[family] ?? ''}`,
      fix: [
        'Use this line in its manifest, or this command.',
        line,
        `# or: kubectl edit ${plural(family)}.v1beta1.placement.kubernetes-fleet.io ${name}${flag}`,
      ].join('\n'),
    },
  ];

const named = (length: number, requestVersion = 'v1beta1'): ChangeDraft =>
  creation(run('r'.repeat(length)), { requestVersion });

testRule(rule, {
  accepts: {
    'a run through v1beta1': { change: creation(release) },
    'a run through v1': { change: creation(release, { requestVersion: 'v1' }) },
    'an update of a run through v1': { change: update(release, labelled, { requestVersion: 'v1' }) },
    'a strategy through v1beta1': { change: creation(rings) },
    'the deletion of a run through v1alpha1': { change: deletion(release, old) },
    'the deletion of a strategy through v1alpha1': { change: deletion(rings, old) },
    'the removal of a finalizer through v1alpha1 from a run that is being deleted': {
      change: update(dying, dying, old),
    },
    'an approval through v1alpha1, where all versions are alike': {
      change: update(approval('release-before-canary'), approval('release-before-canary'), {
        ...old,
        subresource: 'status',
      }),
    },
    'a status that the hub agent writes': {
      change: update(release, release, { ...old, subresource: 'status', user: hubAgent }),
    },
    'a status through v1beta1': { change: update(release, release, { subresource: 'status' }) },
    'a name of 63 characters': { change: named(63) },
    'an update of a run that has had a long name before': {
      change: update(run('r'.repeat(80)), run('r'.repeat(80), { metadata: { labels: {} } })),
    },
    'a strategy with a long name, which KubeFleet can live with': {
      change: creation(strategy('s'.repeat(80), stage('canary'))),
    },
  },
  rejects: {
    'a run that is created through v1alpha1': { change: creation(release, old), findings: created('UpdateRun') },
    'a strategy that is created through v1alpha1': {
      change: creation(rings, old),
      findings: created('UpdateStrategy'),
    },
    'a run that is created through v1alpha1 on a dry run': {
      change: creation(release, { ...old, dryRun: true }),
      findings: created('UpdateRun'),
    },
    'an update of a run through v1alpha1': {
      change: update(release, run('release', { spec: { state: 'Stop' } }), old),
      findings: updated('UpdateRun', 'release'),
    },
    'an update through v1alpha1 in which nothing seems to change, since the old object is pruned as well': {
      change: update(release, release, old),
      findings: updated('UpdateRun', 'release'),
    },
    'an update of a strategy through v1alpha1': {
      change: update(rings, rings, old),
      findings: updated('UpdateStrategy', 'rings'),
    },
    'a status that someone writes through v1alpha1': {
      change: update(release, release, { ...old, subresource: 'status' }),
      findings: [
        {
          path: 'apiVersion',
          message: `a write through v1alpha1 ${losses.UpdateRun ?? ''}`,
          fix: 'Leave the status of a run to KubeFleet.',
        },
      ],
    },
    'a name of 64 characters': {
      change: named(64),
      findings: [
        {
          path: 'metadata.name',
          message: 'the name has 64 characters, and KubeFleet never starts a run with more than 63',
          fix: `Give the run a shorter name, such as this.\nmetadata:\n  name: ${'r'.repeat(63)}`,
        },
      ],
    },
    'a long name through v1alpha1, where the schema lets it pass': {
      change: named(80, 'v1alpha1'),
      findings: [
        ...created('UpdateRun'),
        {
          path: 'metadata.name',
          message: 'the name has 80 characters, and KubeFleet never starts a run with more than 63',
          fix: `Give the run a shorter name, such as this.\nmetadata:\n  name: ${'r'.repeat(63)}`,
        },
      ],
    },
  },
});
