import { parse } from 'yaml';
import { lineKind, wholeCommands } from '../../support/printed-fixes.js';
import type { Json } from '../harness/api.js';

/** What kubectl shows of one rule's refusal. */
export interface Refusal {
  /** `spec.stages[0].name` */
  readonly path: string;
  readonly sentence: string;
  /** The lines to paste. */
  readonly lines: readonly string[];
  /** Those of them that have been put to use, by their kind. */
  readonly used: Set<string>;
}

/** Reads the first finding of a rule out of what kubectl printed; undefined where there is none. */
export function refusalOf(rule: string, output: string): Refusal | undefined {
  return refusalsOf(rule, output)[0];
}

/** All findings of a rule that have a fix of their own; neighbours that share one count as one. */
export function refusalsOf(rule: string, output: string): readonly Refusal[] {
  const lines = output.split('\n');
  return lines.flatMap((line, start) => {
    if (!line.startsWith(`[${rule}] `)) return [];
    const fix = lines.findIndex((each, index) => index > start && each.startsWith('  Fix: '));
    if (lines.slice(start + 1, fix).some((each) => each.startsWith('['))) return [];
    const end = lines.findIndex((each, index) => index > fix && !each.startsWith('    '));
    const [, path = ''] = /^\[[^\]]*\] ([^\s:]*):/.exec(line) ?? [];
    return {
      path,
      sentence: (lines[fix] ?? '').slice('  Fix: '.length),
      lines: wholeCommands(lines.slice(fix + 1, end).map((each) => each.slice(4))),
      used: new Set<string>(),
    };
  });
}

/** The commands among the lines; those that are another way stand behind a comment sign. */
export function commandsOf({ lines }: Omit<Refusal, 'used'>): readonly string[] {
  return lines.flatMap((line) => /^(?:# (?:or: )?)?(kubectl .*)$/s.exec(line)?.[1] ?? []);
}

/** The lines that are no command, as YAML; undefined where there are none. */
export function yamlIn({ lines, used }: Refusal): Json | undefined {
  const yaml = lines.filter((line) => lineKind(line) === 'yaml');
  if (yaml.length === 0) return undefined;
  used.add('yaml');
  return parse(yaml.join('\n')) as Json;
}

/** What is to be written in an editor stands behind comment signs, so that no shell takes it for commands. */
export function yamlForEditor({ lines }: Refusal): Json | undefined {
  const yaml = lines.filter((line) => line.startsWith('# ') && lineKind(line) === undefined);
  return yaml.length === 0 ? undefined : (parse(yaml.map((line) => line.slice(2)).join('\n')) as Json);
}

type Node = Record<string | number, unknown>;

/** Puts the YAML of a fix where the finding points, as a reader of it would. */
export function withFix(manifest: Json, refusal: Refusal): Json {
  const fixed = structuredClone(manifest) as Node;
  const yaml = yamlIn(refusal) ?? {};
  const steps = [...refusal.path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
  const [first = ''] = steps;
  // Lines that begin at the top of the manifest name what leads to their place.
  if (steps.length > 1 && first in yaml) {
    fixed[first] = { ...(fixed[first] as object), ...(yaml[first] as object) };
    return fixed;
  }
  const parent = steps.slice(0, -1).reduce<Node>((node, step) => node[step] as Node, fixed);
  Object.assign(parent, yaml);
  return fixed;
}
