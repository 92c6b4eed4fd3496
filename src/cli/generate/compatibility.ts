import type { Rule } from '../../engine/rule.js';
import {
  behaves,
  behaviours,
  mainDate,
  newestRelease,
  oldestRelease,
  type Behaviour,
  type BehaviourId,
} from '../../fleet/versions.js';
import { sinceText, upstreamText } from '../report/rule-lines.js';

/** The columns of the table of rules, each with a version that stands for it. */
const columns = [
  ['v0.2', 'v0.2.2'],
  ['v0.3', newestRelease],
  ['main', 'main'],
  ['newer', 'v999.0.0'],
  ['not known', 'auto'],
] as const;

/** docs/compatibility.md, from the table of versions and the catalogue. */
export function compatibilityPage(rules: readonly Rule[]): string {
  return [
    '# Versions of KubeFleet',
    '<!-- Written by `npm run docs` from src/fleet/versions.ts and the rules. Do not edit. -->',
    ...introduction,
    '## What differs',
    table(['behaviour', 'since', 'before that', 'asked by', 'upstream'], Object.values(behaviours).map(behaviourRow)),
    '## Rules by version',
    'What each rule does by default. `newer` is every version after those that the table knows, `not known` a hub that does not ' +
      'show its version.',
    table(
      ['rule', ...columns.map(([label]) => label)],
      rules.map((rule) => [
        `[${rule.id}](rules.md#${rule.id})`,
        ...columns.map(([, version]) => cellOf(rule, version)),
      ]),
    ),
    ...outlook,
  ]
    .join('\n\n')
    .concat('\n');
}

const introduction: readonly string[] = [
  `The rules are made for KubeFleet ${oldestRelease} and newer. Their verdicts agree with outcomes that were recorded of ` +
    `${newestRelease} and of the main branch of ${mainDate}; what is older is known from its code.`,
  '## How the version is known',
  '`kubefleet.version` in the [config file](../examples/config.yaml) says it: a version, `main` for a build of the main branch, or ' +
    '`auto`, which is the default. With `auto`, a guard beside a hub, `check --live`, `plan --live` and `audit` look, in this order, at',
  [
    '1. the image of the hub agent: the tag of the container `hub-agent` in the Deployment that `hubAgent.deployment` names ' +
      '(`fleet-system/hub-agent`). This needs the right to get that one Deployment, which the chart grants (`hubAgent.deployment`, ' +
      'empty: not granted). A tag that is no version, such as `latest`, `main`, a date or a commit, says nothing.',
    '2. the shape of the definitions, which everybody who is logged in may read (`/openapi/v3`): the pattern of `waitTime` in ' +
      `ClusterStagedUpdateStrategy is one thing up to ${newestRelease} and another on main. It tells these two apart, and no more.`,
  ].join('\n'),
  `Where neither tells, and in \`check\` and \`plan\` without a hub, KubeFleet is taken to behave as main does. Nothing is softened ` +
    `then. What would be otherwise on ${newestRelease} and older is said where it matters: by \`run-empty-stage\`, and below a plan.`,
  'A running guard asks again every five minutes. Its log says which version it has found and how, at the start and whenever that ' +
    'changes, and warns where the settings name another version than the hub shows; the metric `stageguard_kubefleet_info` has both.',
  `A version newer than ${newestRelease} is one that nobody has looked at. It is taken to behave as main does, except for what is ` +
    'wanted upstream and in no version yet: rules about that only warn, whatever mode is set. To have them refuse again, set ' +
    '`kubefleet.version: main`.',
];

const outlook: readonly string[] = [
  '## What is coming',
  'KubeFleet is about to serve staged runs in a second API group, `rollout.kubefleet.dev` (kubefleet #924, #925): other objects, with ' +
    '`suspended` in place of `state` and `stagedUpdateStrategyName` in place of `stagedRolloutStrategyName`. The guard does not serve that ' +
    'group yet: its webhooks match `placement.kubernetes-fleet.io` and `cluster.kubernetes-fleet.io` only, so runs of the new group ' +
    'pass unjudged, and a run of each group may change the same clusters.',
  'Also watched, and softening nothing: runs that leave out clusters of no stage by an option of their own (kubefleet #512, #638), ' +
    'and tasks before the removal at the end of a run (kubefleet #813).',
];

function behaviourRow({ what, since, before, rules, upstream }: Behaviour): readonly string[] {
  const asked = Object.keys(rules).map((id) => `[${id}](rules.md#${id})`);
  return [what, since === undefined ? 'in flux' : sinceText(since), before, asked.join(', '), upstreamText(upstream)];
}

function cellOf({ id, severity }: Rule, version: string): string {
  const words = (Object.keys(behaviours) as BehaviourId[]).flatMap((behaviour) => {
    const asking = behaviours[behaviour].rules[id];
    if (asking === undefined) return [];
    const answer = behaves(version, behaviour);
    if (answer === 'assumed') return asking.unknown ?? [];
    const isOtherwise = behaviours[behaviour].since === undefined ? answer === 'perhaps' : answer === 'no';
    return isOtherwise ? asking.otherwise : [];
  });
  return words.length === 0 ? severity : words.join('; ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
