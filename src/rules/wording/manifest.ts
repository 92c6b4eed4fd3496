import { kindIn, storageVersion } from '../../fleet/kinds.js';
import type { RunSpec } from '../../fleet/model.js';
import { quotedWhole } from '../../fleet/quoted.js';

/** A run as someone would write it down. */
export interface RunDraft {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly spec: RunSpec;
}

/** The lines of a run's manifest, ready to paste. */
export function runManifest({ name, namespace, spec }: RunDraft): readonly string[] {
  const kind = kindIn('UpdateRun', namespace);
  const index = spec.resourceSnapshotIndex;
  return [
    `apiVersion: ${kind.group}/${storageVersion}`,
    `kind: ${kind.kind}`,
    'metadata:',
    `  name: ${yamlText(name)}`,
    ...(namespace === undefined ? [] : [`  namespace: ${yamlText(namespace)}`]),
    'spec:',
    `  placementName: ${yamlText(spec.placementName)}`,
    `  stagedRolloutStrategyName: ${yamlText(spec.stagedRolloutStrategyName)}`,
    ...(index === undefined ? [] : [`  resourceSnapshotIndex: ${yamlString(index)}`]),
    `  state: ${spec.state}`,
  ];
}

/** The limit of the CRD of runs. */
export const longestRunName = 63;

/** The first of `name-2`, `name-3`, ... that nobody has, cut to what a run may be called. */
export function nextRunName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const suffix = `-${String(number)}`;
    const candidate = `${shortenRunName(name, longestRunName - suffix.length)}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** A name cut to a length; it still ends as a name must. */
export function shortenRunName(name: string, length: number = longestRunName): string {
  return name.slice(0, length).replace(/[^a-z0-9]+$/, '');
}

/** Words that YAML reads as something else than text; `e5` is a number to some readers of YAML 1.1. */
const notText = /^(?:true|false|null|yes|no|on|off|y|n|e[-+]?[0-9]+)$/i;

/** A text as a YAML value: plain where that is safe, else in double quotes. */
export function yamlText(text: string): string {
  return /^[A-Za-z][A-Za-z0-9._/-]*$/.test(text) && !notText.test(text) ? text : yamlString(text);
}

/** A text in double quotes. YAML knows the escapes of JSON but for halves of a character. */
export function yamlString(text: string): string {
  const pair = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/g;
  return quotedWhole(text).replaceAll(pair, (_, high: string, low: string) => {
    const point = String.fromCharCode(parseInt(high, 16), parseInt(low, 16)).codePointAt(0) ?? 0;
    return `\\U${point.toString(16).padStart(8, '0')}`;
  });
}
