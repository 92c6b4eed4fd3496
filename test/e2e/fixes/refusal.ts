import { parse } from 'yaml';
import type { Json } from '../api.js';

/** What kubectl shows of one rule's refusal. */
export interface Refusal {
  /** `spec.stages[0].name` */
  readonly path: string;
  readonly sentence: string;
  /** The lines to paste. */
  readonly lines: readonly string[];
}

/** Reads the finding of a rule out of what kubectl printed; undefined where there is none. */
export function refusalOf(rule: string, output: string): Refusal | undefined {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`[${rule}] `));
  if (start < 0) return undefined;
  const fix = lines.findIndex((line, index) => index > start && line.startsWith('  Fix: '));
  const end = lines.findIndex((line, index) => index > fix && !line.startsWith('    '));
  const [, path = ''] = /^\[[^\]]*\] ([^\s:]*):/.exec(lines[start] ?? '') ?? [];
  return {
    path,
    sentence: (lines[fix] ?? '').slice('  Fix: '.length),
    lines: lines.slice(fix + 1, end).map((line) => line.slice(4)),
  };
}

/** The commands among the lines; those that are another way stand behind a comment sign. */
export function commandsOf({ lines }: Refusal): readonly string[] {
  return lines.flatMap((line) => /^(?:# (?:or: )?)?(kubectl .*)$/.exec(line)?.[1] ?? []);
}

/** The lines that are no command, as YAML. */
export function yamlIn({ lines }: Refusal): Json {
  return parse(lines.filter((line) => !line.startsWith('kubectl ')).join('\n')) as Json;
}

type Node = Record<string | number, unknown>;

/** Puts the YAML of a fix where the finding points, as a reader of it would. */
export function mend(manifest: Json, refusal: Refusal): Json {
  const mended = structuredClone(manifest) as Node;
  const steps = [...refusal.path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  const parent = steps.slice(0, -1).reduce<Node>((node, step) => node[step] as Node, mended);
  Object.assign(parent, yamlIn(refusal));
  return mended;
}
