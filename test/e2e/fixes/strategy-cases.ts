import type { Json } from '../harness/api.js';
import { stage, strategy } from '../harness/world.js';
import { apply, byWords, type FixCase, type Sent } from './case.js';
import { yamlIn } from './refusal.js';

const writing = (...stages: readonly object[]): FixCase['write'] => {
  return ({ scope, name }) => apply(strategy(scope, name, stages));
};

const withStages = (sent: Sent, stages: readonly object[]): Sent => ({
  ...sent,
  manifest: { ...sent.manifest, spec: { stages } },
});

const waiting = (waitTime: string): FixCase['write'] =>
  writing(stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime }] }));

const expression = (operator: string): object => ({
  name: 'canary',
  labelSelector: { matchExpressions: [{ key: 'ring', operator, values: ['canary'] }] },
});

export const strategyCases: readonly FixCase[] = [
  { rule: 'strategy-stages-present', when: 'there are none', write: writing() },
  {
    rule: 'strategy-stage-names-unique',
    when: 'two are the same',
    write: writing(stage('canary'), { ...stage('production'), name: 'canary' }),
  },
  {
    rule: 'strategy-stages-disjoint',
    when: 'one selector will do',
    write: writing(stage('canary'), { name: 'eu', labelSelector: { matchLabels: { region: 'eu' } } }),
  },
  {
    rule: 'strategy-stages-disjoint',
    when: 'it takes more stages',
    write: writing(
      { name: 'one', labelSelector: { matchLabels: { ring: 'canary', region: 'eu' } } },
      { name: 'two', labelSelector: { matchLabels: { tier: 'gold', zone: 'a' } } },
    ),
    follow(refusal, _site, sent) {
      const { stages } = (sent.manifest as { spec: { stages: readonly object[] } }).spec;
      const [, index = ''] = /^spec\.stages\[(\d+)\]/.exec(refusal.path) ?? [];
      const parts = yamlIn(refusal) as unknown as readonly Json[];
      return Promise.resolve(withStages(sent, stages.toSpliced(Number(index), 1, ...parts)));
    },
  },
  {
    rule: 'strategy-stages-disjoint',
    when: 'one stage has nothing of its own',
    write: writing({ name: 'one', labelSelector: {} }, { name: 'two', labelSelector: {} }),
    follow: byWords((sent) => withStages(sent, [{ name: 'one', labelSelector: {} }])),
  },
  { rule: 'strategy-wait-time', when: 'it is no time', write: waiting('0s') },
  { rule: 'strategy-wait-time', when: 'it is too short', write: waiting('0.5s') },
  { rule: 'strategy-wait-time', when: 'it cannot be read', write: waiting('1s'.repeat(600)) },
  {
    rule: 'strategy-max-concurrency',
    when: 'it is too much',
    write: writing(stage('canary', { maxConcurrency: 3_000_000_000 })),
  },
  {
    rule: 'strategy-tasks-valid',
    when: 'there are two of one type',
    write: writing(stage('canary', { afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] })),
    follow: byWords((sent) => withStages(sent, [stage('canary', { afterStageTasks: [{ type: 'Approval' }] })])),
  },
  {
    rule: 'strategy-sorting-key',
    when: 'the stage binds it to no number',
    write: writing(stage('canary', { sortingLabelKey: 'ring' })),
    follow: byWords((sent) => withStages(sent, [stage('canary', { sortingLabelKey: 'order' })])),
  },
  {
    rule: 'strategy-size',
    when: 'a text is too long',
    write: writing(stage('canary', { sortingLabelKey: 'x'.repeat(400) })),
    follow: byWords((sent) => withStages(sent, [stage('canary')])),
  },
  {
    rule: 'strategy-selector-valid',
    when: 'there is no such operator',
    write: writing(expression('Equals')),
    follow: byWords((sent) => withStages(sent, [expression('In')])),
  },
];
