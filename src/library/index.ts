import { checkShape, planShape } from '../cli/report/json.js';
import { checkReport, isRefusal, type CheckReport, type PlanReport } from '../cli/report/model.js';
import { planManifests } from '../cli/plan/plan-manifests.js';
import { policyOf } from '../config/config.js';
import { entries } from '../config/entries.js';
import { parseConfig } from '../config/read.js';
import type { RuleFailure } from '../engine/verdict.js';
import { describe } from '../errors.js';
import { judgeManifests, type ManifestsToJudge } from '../guard/manifest-judge.js';
import { catalogue } from '../rules/index.js';
import { nothingKnown } from '../sources/fleet-source.js';
import { fleetIn } from '../sources/manifests/fleet-files.js';
import { manifestsIn, type Manifests as Read } from '../sources/manifests/read.js';

// The types of the package are made of this file alone, so what is exported names nothing that is imported.

/** An object as the API server would get it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** A text with the name that reports call it by. */
export interface ManifestFile {
  readonly file: string;
  /** YAML, with as many documents as you like, or JSON. */
  readonly text: string;
}

/** The text of a file, or an object. */
export type Manifest = string | ManifestFile | KubernetesObject;
export type Manifests = Manifest | readonly Manifest[];

export interface Options {
  /** The whole hub as it stands: what is not in it does not exist. Without it, what the manifests do not hold is unknown. */
  readonly fleet?: Manifests | undefined;
  /** Settings as a config file has them, as text or as an object. */
  readonly config?: string | object | undefined;
  /** The moment to judge by, in milliseconds since 1970; now, unless given. */
  readonly now?: number | undefined;
}

export type Severity = 'deny' | 'warn' | 'audit';

/** What a rule has to say. */
export interface RuleFinding {
  readonly rule: string;
  readonly severity: Severity;
  /** `undetermined` where something the rule needs is not known; that refuses nothing. */
  readonly outcome: 'violated' | 'undetermined';
  /** The field, such as `spec.stages[1].labelSelector`; empty for the whole object. */
  readonly path: string;
  readonly message: string;
  /** A sentence, then lines to paste. */
  readonly fix: string;
  /** Whether sending the same again later may succeed. */
  readonly retry: boolean;
}

/** A finding with the object it is about, and where that stands. */
export interface Finding extends RuleFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Something that could not be read. */
export interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
  readonly fix?: string | undefined;
}

interface Result {
  /** Whether the API server would be told to refuse something. Look at `errors` as well: what cannot be read is not judged. */
  readonly refused: boolean;
  readonly errors: readonly Problem[];
}

export interface CheckResult extends Result {
  readonly findings: readonly Finding[];
  /** Objects that were judged, and objects of kinds that nobody here judges. */
  readonly checked: number;
  readonly passedOver: number;
  /** What comments keep out of the findings, and why. */
  readonly suppressed: readonly (Finding & { readonly reason: string })[];
}

export interface PlanResult extends Result {
  readonly findings: readonly RuleFinding[];
  /** In the order in which they are updated. */
  readonly stages: readonly { readonly name: string; readonly clusters: readonly string[] }[];
  /** Clusters from which the resources will be removed. */
  readonly deletion: readonly string[];
}

export interface RuleDescription {
  readonly id: string;
  /** What it does unless settings say otherwise. */
  readonly severity: Severity;
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** Judges manifests as if they were applied together, as `stageguard check` does. Throws where the settings cannot be used. */
export function check(manifests: Manifests, options: Options = {}): CheckResult {
  const input = inputOf(manifests, options);
  const report: CheckReport = checkReport(input, judgeManifests(input));
  throwBugs(report.failures);
  const { findings, errors, checked, passedOver, suppressed } = checkShape(report);
  return { refused: report.findings.some(isRefusal), findings, errors, checked, passedOver, suppressed };
}

/** What the one run among the manifests would do, as `stageguard plan` shows it. Throws where there is not just one run. */
export function plan(manifests: Manifests, options: Options = {}): PlanResult {
  const report: PlanReport = planManifests(inputOf(manifests, options));
  throwBugs(report.failures);
  return { refused: report.findings.some(isRefusal), ...planShape(report), errors: report.errors };
}

/** Every rule, and whatever else has an id and a mode. */
export function rules(): readonly RuleDescription[] {
  return entries.map(({ id, severity, title, why, fix }) => ({ id, severity, title, why, fix }));
}

function inputOf(manifests: Manifests, { fleet, config = '', now = Date.now() }: Options): ManifestsToJudge {
  const settings = parseConfig('config', typeof config === 'string' ? config : JSON.stringify(config));
  return {
    manifests: read('manifests', manifests),
    known: fleet === undefined ? nothingKnown() : fleetIn(read('fleet', fleet)),
    rules: catalogue,
    policy: policyOf(settings),
    now,
  };
}

/** A rule that threw has judged nothing, and that must not pass for a clean result. */
function throwBugs([first]: readonly RuleFailure[]): void {
  if (first === undefined) return;
  throw new Error(`stageguard has a bug: rule ${first.rule}: ${describe(first.error)}`, { cause: first.error });
}

function read(name: string, manifests: Manifests): Read {
  const all: readonly Manifest[] = isList(manifests) ? manifests : [manifests];
  return manifestsIn(all.map((one, index) => fileOf(one, `${name}[${String(index)}]`)));
}

function isList(manifests: Manifests): manifests is readonly Manifest[] {
  return Array.isArray(manifests);
}

function fileOf(manifest: Manifest, file: string): ManifestFile {
  if (typeof manifest === 'string') return { file, text: manifest };
  return isFile(manifest) ? manifest : { file, text: JSON.stringify(manifest) };
}

function isFile(manifest: ManifestFile | KubernetesObject): manifest is ManifestFile {
  return !('apiVersion' in manifest) && typeof manifest['file'] === 'string' && typeof manifest['text'] === 'string';
}
