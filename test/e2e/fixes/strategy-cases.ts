import type { Json } from '../api.js';
import { stage, strategy } from '../world.js';
import { apply, byLines, byWords, type FixCase } from './case.js';

const writing = (...stages: readonly object[]): FixCase['write'] => {
  return ({ scope, name }) => apply(strategy(scope, name, stages));
};

const withStages = (sent: { manifest?: Json }, stages: readonly object[]): Json => ({
  ...sent.manifest,
  spec: { stages },
});

export const strategyCases: readonly FixCase[] = [
  { rule: 'strategy-stages-present', write: writing(), follow: byLines },
  {
    rule: 'strategy-stage-names-unique',
    write: writing(stage('canary'), { ...stage('production'), name: 'canary' }),
    follow: byLines,
  },
  {
    rule: 'strategy-stages-disjoint',
    write: writing(stage('canary'), { name: 'eu', labelSelector: { matchLabels: { region: 'eu' } } }),
    follow: byLines,
  },
  {
    rule: 'strategy-wait-time',
    write: writing(stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0.5s' }] })),
    follow: byLines,
  },
  {
    rule: 'strategy-max-concurrency',
    write: writing(stage('canary', { maxConcurrency: 3_000_000_000 })),
    follow: byLines,
  },
  {
    rule: 'strategy-tasks-valid',
    write: writing(stage('canary', { afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] })),
    follow: byWords((sent) => ({
      ...sent,
      manifest: withStages(sent, [stage('canary', { afterStageTasks: [{ type: 'Approval' }] })]),
    })),
  },
  {
    rule: 'strategy-selector-valid',
    write: writing({
      name: 'canary',
      labelSelector: { matchExpressions: [{ key: 'ring', operator: 'Equals', values: ['canary'] }] },
    }),
    follow: byWords((sent) => ({
      ...sent,
      manifest: withStages(sent, [
        { name: 'canary', labelSelector: { matchExpressions: [{ key: 'ring', operator: 'In', values: ['canary'] }] } },
      ]),
    })),
  },
];
