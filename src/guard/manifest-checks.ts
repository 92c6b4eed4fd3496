import type { Finding } from '../engine/verdict.js';
import type { Severity } from '../engine/rule.js';
import type { Path } from '../fleet/path.js';
import type { ShapeViolation } from '../schemas/violation.js';

/** What is judged of manifests alone: a hub needs none of it, because its API server says it. */
export interface ManifestCheck {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly why: string;
}

export const manifestChecks = {
  unknown: {
    id: 'manifest-unknown-field',
    title: 'Every field is one that the API knows',
    severity: 'deny',
    why: 'The API server drops a field that it does not know, and with it what was meant: an approval, a wait, a selector. kubectl refuses it; Argo CD, Flux and Helm do not.',
  },
  empty: {
    id: 'manifest-empty-field',
    title: 'Every field holds something',
    severity: 'deny',
    why: 'The API server drops a field that is null as if it had not been written: an index that a template left out is then the latest one, and an empty selector means every cluster.',
  },
  value: {
    id: 'manifest-invalid-value',
    title: 'Every value is one that the API takes',
    severity: 'deny',
    why: 'The API server refuses the object.',
  },
  name: {
    id: 'manifest-invalid-name',
    title: 'Names are made as the API demands',
    severity: 'deny',
    why: 'The API server refuses the object.',
  },
  scope: {
    id: 'manifest-scope',
    title: 'Only what belongs to a namespace names one',
    severity: 'deny',
    why: 'The API server drops the namespace, and the object holds for the whole hub.',
  },
  duplicate: {
    id: 'manifest-duplicate',
    title: 'Each object is in the manifests once',
    severity: 'deny',
    why: 'Whichever is applied last wins, and kustomize refuses both. Two files may be meant for two hubs; then it is a warning.',
  },
  order: {
    id: 'manifest-order',
    title: 'A run comes after its strategy',
    severity: 'warn',
    why: 'kubectl applies documents in their order: the run is refused, and applying once more creates it. Argo CD takes the objects of a sync wave by name, and tries again. Helm and Flux sort kinds by name, so that a run comes before its strategy wherever it stands: Helm fails the release, and Flux stops there.',
  },
} as const satisfies Record<string, ManifestCheck>;

interface Told {
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  readonly severity?: Severity;
}

export function manifestFinding(check: keyof typeof manifestChecks, { severity, ...told }: Told): Finding {
  const { id, severity: usual } = manifestChecks[check];
  return { rule: id, severity: severity ?? usual, outcome: 'violated', ...told, retry: false };
}

/** A violation of the shape as a finding; what is missing or of a wrong type is an error instead, since it cannot be judged. */
export function shapeFinding({ what, path, message, fix }: ShapeViolation): readonly Finding[] {
  return what === 'missing' || what === 'type' ? [] : [manifestFinding(what, { path, message, fix })];
}

/** What rules say better, where they say it. */
const saidByRules: readonly { readonly at: RegExp; readonly rules: readonly string[] }[] = [
  { at: /^spec\.stages$/, rules: ['strategy-size', 'strategy-stages-present'] },
  { at: /\.maxConcurrency$/, rules: ['strategy-max-concurrency'] },
  { at: /\.waitTime$/, rules: ['strategy-wait-time', 'strategy-tasks-valid'] },
  { at: /\.(?:before|after)StageTasks(?:\.|$)/, rules: ['strategy-tasks-valid', 'strategy-wait-time'] },
  { at: /^metadata\.name$/, rules: ['run-api-version'] },
];

/** Leaves out what a rule has said as well: nothing is said twice. */
export function withoutWhatRulesSay(shape: readonly Finding[], said: readonly Finding[]): readonly Finding[] {
  return shape.filter(({ path }) => {
    const place = path.filter((step) => typeof step === 'string').join('.');
    const rules = saidByRules.flatMap((row) => (row.at.test(place) ? row.rules : []));
    return !said.some((finding) => rules.includes(finding.rule) && isAlong(finding.path, path));
  });
}

/** Whether one place is in the other. */
function isAlong(one: Path, other: Path): boolean {
  const shorter = Math.min(one.length, other.length);
  return one.slice(0, shorter).every((step, at) => step === other[at]);
}
