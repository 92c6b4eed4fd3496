import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from '../../src/diagnosis/diagnose.js';
import type { Diagnosis } from '../../src/diagnosis/diagnosis.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { Facts } from '../../src/fleet/facts.js';
import type { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { kindIn, kindOf } from '../../src/fleet/kinds.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import { reportsAmong } from '../../src/fleet/reports.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetIn } from '../../src/sources/manifests/fleet-files.js';
import { parseManifests } from '../../src/sources/manifests/parse.js';

export type Json = Record<string, unknown>;

/** A hub as it was recorded. */
export interface Hub {
  readonly scenario: string;
  readonly run: string;
  readonly namespace?: string;
  readonly recordedAt: string;
  readonly items: readonly Json[];
}

const folder = join(import.meta.dirname, '..', 'hubs');

export const hubs: readonly Hub[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Hub);

export function hubNamed(scenario: string): Hub {
  const found = hubs.find((hub) => hub.scenario === scenario);
  if (found === undefined) throw new Error(`no hub ${scenario}`);
  return found;
}

/** The same hub with every kind as its namespaced twin. */
export function inNamespace(hub: Hub, namespace = 'team-a'): Hub {
  const items = hub.items
    .filter(({ metadata }) => (metadata as Json)['namespace'] === undefined || !isOurs(metadata))
    .map((item) => {
      const kind = kindOf(String(item['apiVersion']), String(item['kind']));
      if (kind === undefined || kind.family === 'MemberCluster') return item;
      return {
        ...(kind.family === 'Placement' ? withinNamespace(item) : item),
        kind: kindIn(kind.family, namespace).kind,
        metadata: { ...(item['metadata'] as Json), namespace },
      };
    });
  return { ...hub, namespace, items };
}

/** A placement inside a namespace selects no namespaces. */
function withinNamespace(placement: Json): Json {
  const resourceSelectors = [{ group: 'apps', version: 'v1', kind: 'Deployment', name: 'web' }];
  return { ...placement, spec: { ...(placement['spec'] as Json), resourceSelectors } };
}

function isOurs(metadata: unknown): boolean {
  return !String((metadata as Json)['namespace']).startsWith('fleet-member-');
}

/** What a hub holds, and what could not be read of it. */
function readHub({ items }: Hub): ReturnType<typeof parseManifests> & ReturnType<typeof fleetIn> {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const parsed = parseManifests('hub.json', text);
  return { ...parsed, ...fleetIn({ ...parsed, files: 1, passedOver: 0, filesPassedOver: {}, suppressions: [] }) };
}

export function fleetOf(hub: Hub): IndexedFleet {
  return readHub(hub).fleet;
}

export function runOf(hub: Hub, fleet = fleetOf(hub)): UpdateRun {
  const run = fleet
    .all('UpdateRun')
    .find(({ metadata }) => metadata.name === hub.run && metadata.namespace === hub.namespace);
  if (run === undefined) throw new Error(`${hub.scenario} has no run ${hub.run}`);
  return run;
}

/** What the hub's run comes to, at the moment of the recording or another. */
export function diagnosisOf(hub: Hub, at = Date.parse(hub.recordedAt)): Diagnosis {
  const { fleet, documents } = readHub(hub);
  const run = runOf(hub, fleet);
  const reports = reportsAmong(documents, run, true);
  const facts = new Facts(fleet, run.metadata.namespace);
  return diagnose({ run, fleet, facts, reports, rules: catalogue, policy: defaultPolicy, now: at });
}
