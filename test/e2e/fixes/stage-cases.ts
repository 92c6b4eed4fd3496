import type { Json } from '../harness/api.js';
import type { Hub } from '../harness/hub.js';
import { pathOf, type Scope } from '../harness/paths.js';
import { placement, scheduled, stage, strategy } from '../harness/world.js';
import { another, apply, pasted, put, type FixCase, type Site } from './case.js';
import { edited } from './editor.js';
import { yamlForEditor } from './refusal.js';
import { ground, labelMembers, runOf, twoStages } from './ground.js';

const everyone = { name: 'everyone', labelSelector: {} };
const waiting = (waitTime: string): readonly object[] => [
  stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime }] }),
  stage('production'),
];
const approved = { afterStageTasks: [{ type: 'Approval' }] };
const twice = { afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] };

/** Labels of one scope alone: the clusters are the same for both. */
const keysOf = (scope: Scope): readonly string[] => ['a', 'b', 'c', 'd'].map((key) => `${key}-${scope ?? 'cluster'}`);

function byTwoLabels(scope: Scope): readonly object[] {
  const [a = '', b = '', c = '', d = ''] = keysOf(scope);
  return [
    { name: 'first', labelSelector: { matchLabels: { [a]: 'x', [b]: 'x' } } },
    { name: 'second', labelSelector: { matchLabels: { [c]: 'x', [d]: 'x' } } },
  ];
}

/** What the guard would not let in, by the name of the strategy. */
const broken = (scope: Scope): Record<string, readonly object[]> => ({
  'old-no-wait': waiting('0s'),
  'old-short-wait': waiting('0.5s'),
  'old-no-stages': [],
  'old-same-names': [stage('canary', approved), { ...stage('production', approved), name: 'canary' }],
  'old-two-approvals': [stage('canary', twice), stage('production')],
  'old-no-values': [{ name: 'canary', labelSelector: { matchExpressions: [{ key: 'ring', operator: 'In' }] } }],
  'old-much-at-once': [{ ...everyone, maxConcurrency: 3_000_000_000 }],
  'old-overlap': [stage('canary'), { ...everyone, name: 'all' }],
  'old-two-labels': byTwoLabels(scope),
  'old-equal': [everyone, { ...everyone, name: 'again' }],
});

/** Strategies that are older than the guard. */
export async function oldStrategies(hub: Hub): Promise<void> {
  for (const scope of [undefined, 'team-a']) {
    for (const [name, stages] of Object.entries(broken(scope))) {
      await hub.api('admin').create(pathOf('UpdateStrategy', scope), strategy(scope, name, stages));
    }
  }
}

async function placed(site: Site): Promise<void> {
  await put(site, placement(site.scope, site.name));
  await scheduled(site.hub, site.scope, site.name);
}

const ofOld = (name: string): Pick<FixCase, 'prepare' | 'write'> => ({
  prepare: placed,
  write: (site) => apply(runOf(site, { stagedRolloutStrategyName: name })),
});

/** A strategy that was stored before the guard was there; the editor gets what the text prints. */
function fixedStrategy(when: string, name: string, stages: (yaml: Json) => readonly object[]): FixCase {
  return {
    rule: 'run-strategy-valid',
    when,
    ...ofOld(name),
    follow: edited((refusal) => ({ stages: stages(yamlForEditor(refusal) ?? {}) })),
  };
}

const strategyValidCases: readonly FixCase[] = [
  fixedStrategy('a wait is no time', 'old-no-wait', ({ waitTime }) => waiting(String(waitTime))),
  fixedStrategy('a wait is too short', 'old-short-wait', ({ waitTime }) => waiting(String(waitTime))),
  fixedStrategy('there are no stages', 'old-no-stages', ({ stages }) => stages as object[]),
  fixedStrategy('stages share a name', 'old-same-names', () => [
    stage('canary', approved),
    stage('production', approved),
  ]),
  fixedStrategy('tasks are of one type', 'old-two-approvals', () => [stage('canary', approved), stage('production')]),
  fixedStrategy('a selector has no values', 'old-no-values', () => [
    { name: 'canary', labelSelector: { matchExpressions: [{ key: 'ring', operator: 'Exists' }] } },
  ]),
  fixedStrategy('too many clusters move at a time', 'old-much-at-once', (yaml) => [{ ...everyone, ...yaml }]),
];

/** All clusters are in the first stage, and one in the second as well. */
async function labelTwice(site: Site): Promise<void> {
  const [a = '', b = '', c = '', d = ''] = keysOf(site.scope);
  const members = ['eu-1', 'eu-2', 'us-1'].map((member) => `${member} ${a}=x ${b}=x`);
  await labelMembers(site, ...members, `eu-1 ${c}=x ${d}=x`);
  await placed(site);
}

const sortedBy = (key: string): object => ({ ...everyone, sortingLabelKey: key });

export const stageCases: readonly FixCase[] = [
  ...strategyValidCases,
  { rule: 'run-cluster-in-one-stage', when: 'selectors part the stages', ...ofOld('old-overlap') },
  {
    rule: 'run-cluster-in-one-stage',
    when: 'labels part the clusters',
    ...ofOld('old-two-labels'),
    prepare: labelTwice,
    // Member clusters belong to the platform, not to developers.
    follow: pasted({ asks: 'admin' }),
  },
  {
    rule: 'run-cluster-in-one-stage',
    when: 'only a person can tell',
    ...ofOld('old-equal'),
    follow: edited(() => ({ stages: [everyone] })),
  },
  {
    rule: 'run-cluster-in-some-stage',
    when: 'labels will do',
    prepare: (site) => ground(site, [{ name: 'mine', labelSelector: { matchLabels: { [`part-${site.name}`]: 'x' } } }]),
    write: (site) => apply(runOf(site)),
    follow: pasted({ asks: 'admin' }),
  },
  {
    rule: 'run-cluster-in-some-stage',
    when: 'labels will not do',
    prepare: (site) =>
      ground(site, [{ name: 'theirs', labelSelector: { matchLabels: { 'kubernetes-fleet.io/own': 'x' } } }]),
    write: (site) => apply(runOf(site)),
    follow: edited(() => ({ stages: twoStages })),
  },
  {
    rule: 'run-sorting-label',
    when: 'the label is free',
    way: 'the clusters get their place',
    prepare: (site) => ground(site, [sortedBy(`order-${site.name}`)]),
    write: (site) => apply(runOf(site)),
    follow: pasted({ asks: 'admin' }),
  },
  {
    rule: 'run-sorting-label',
    when: 'the label is free',
    way: 'the stage goes by name',
    prepare: (site) => ground(site, [sortedBy(`rank-${site.name}`)]),
    write: (site) => apply(runOf(site)),
    follow: another('patch'),
  },
  {
    rule: 'run-sorting-label',
    when: 'the label is not free',
    prepare: (site) =>
      ground(site, [
        {
          name: 'everyone',
          labelSelector: { matchExpressions: [{ key: 'ring', operator: 'Exists' }] },
          sortingLabelKey: 'ring',
        },
      ]),
    write: (site) => apply(runOf(site)),
  },
];
