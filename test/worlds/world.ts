import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decisionOf, type Decision } from '../../src/engine/verdict.js';
import { kindIn, kindOf } from '../../src/fleet/kinds.js';
import { judgeManifests } from '../../src/guard/manifest-judge.js';
import { fleetIn } from '../../src/sources/manifests/fleet-files.js';
import { catalogue } from '../../src/rules/index.js';
import { parseManifests } from '../../src/sources/manifests/parse.js';
import type { Manifests } from '../../src/sources/manifests/read.js';
import type { Scope } from '../support/scopes.js';

export interface Json {
  [field: string]: Json | Json[] | string | number | boolean | undefined;
}

/** A hub, complete, and a write to it. */
export interface World {
  readonly fleet: Json[];
  readonly change: Json;
}

export function readWorld(folder: string): World {
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(join(import.meta.dirname, folder, `${file}.json`), 'utf8'));
  return { fleet: (read('fleet') as { items: Json[] }).items, change: read('change') as Json };
}

/** The objects of a kind of cluster scope, by the name of the kind. */
export function ofKind({ fleet }: World, kind: string): readonly Json[] {
  return fleet.filter((object) => object['kind'] === kind);
}

/** An object by its name, and by how its kind ends where several have that name. */
export function named({ fleet }: World, name: string, kind = ''): Json {
  const found = fleet.find(
    ({ metadata, kind: own }) => (metadata as Json)['name'] === name && (own as string).endsWith(kind),
  );
  if (found === undefined) throw new Error(`no ${name} in this world`);
  return found;
}

export function metadataOf(world: World, name: string, kind?: string): Json {
  return named(world, name, kind)['metadata'] as Json;
}

/** Sets annotations. */
export const annotate =
  (name: string, annotations: Readonly<Record<string, string>>) =>
  (world: World): void => {
    const metadata = metadataOf(world, name);
    metadata['annotations'] = { ...(metadata['annotations'] as Json), ...annotations };
  };

/** Takes an object away by its name. */
export function remove({ fleet }: World, name: string): void {
  const index = fleet.findIndex(({ metadata }) => (metadata as Json)['name'] === name);
  if (index < 0) throw new Error(`no ${name} in this world`);
  fleet.splice(index, 1);
}

export interface WorldVerdict {
  readonly decision: Decision;
  /** The rules that speak. */
  readonly rules: readonly string[];
  readonly errors: readonly unknown[];
}

/** What the guard says of the write, in a scope; the files are of cluster scope. */
export function judge({ fleet, change }: World, scope: Scope): WorldVerdict {
  const { judged, errors } = judgeManifests({
    manifests: manifests([change], scope),
    known: fleetIn(manifests(fleet, scope)),
    rules: catalogue,
    policy: defaultPolicy,
    now: Date.parse('2026-11-18T12:00:00Z'),
  });
  const findings = judged.flatMap(({ verdict }) => verdict.findings);
  const failures = judged.flatMap(({ verdict }) => verdict.failures);
  return {
    decision: decisionOf({ findings }),
    rules: [...new Set(findings.map(({ rule }) => rule))],
    errors: [...errors, ...failures],
  };
}

function manifests(objects: readonly Json[], scope: Scope): Manifests {
  const items = objects.map((object) => inScope(object, scope));
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return { ...parseManifests('world.json', text), files: 1, passedOver: 0, filesPassedOver: {}, suppressions: [] };
}

function inScope(object: Json, { namespace }: Scope): Json {
  const named = object['kind'] as string;
  const kind = kindOf(object['apiVersion'] as string, named);
  if (kind === undefined) throw new Error(`unknown kind ${named}`);
  const twin = kindIn(kind.family, namespace);
  const metadata = Object.entries(object['metadata'] as Json).filter(([field]) => field !== 'namespace');
  const moved = { ...Object.fromEntries(metadata), ...(twin.namespaced && { namespace }) };
  // Conditions of a placement begin with its kind.
  const text = JSON.stringify({ ...object, kind: twin.kind, metadata: moved });
  return JSON.parse(text.replaceAll(`"${kind.kind}Scheduled"`, `"${twin.kind}Scheduled"`)) as Json;
}
