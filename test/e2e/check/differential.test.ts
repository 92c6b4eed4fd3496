import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { kindOf } from '../../../src/fleet/kinds.js';
import { fieldOf } from '../../../src/fleet/json.js';
import { parseManifests } from '../../../src/sources/manifests/parse.js';
import { run } from '../../support/captured-io.js';
import { everyMistakeIn, examplesIn } from '../../support/mistakes.js';
import { mutatedFrom } from '../floor/mutated.js';
import type { Answer, Json } from '../harness/api.js';
import { expectStored } from '../harness/hub.js';
import { kubectl } from '../harness/kubectl.js';
import { pooled } from '../harness/pooled.js';
import { useHub } from '../harness/use-hub.js';
import { generatedWrites } from '../harness/writes.js';

const hub = useHub();

beforeAll(async () => {
  // The namespaces of the examples.
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } };
  expectStored(await hub().api('admin').create('/api/v1/namespaces', namespace));
});

/** Where kubectl would send a manifest. */
function pathOf({ apiVersion, kind, metadata }: Json): string {
  const known = kindOf(String(apiVersion), String(kind));
  const plural = known?.plural ?? `${String(kind).toLowerCase()}s`;
  const given = fieldOf(metadata, 'namespace');
  const namespace = typeof given === 'string' && given !== '' ? given : 'default';
  const within = known?.namespaced === false ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${String(apiVersion)}${within}/${plural}`;
}

/** What somebody holds against a manifest, and where. */
interface Said {
  readonly isRefused: boolean;
  readonly places: readonly string[];
  readonly text: string;
}

async function saidByServer(manifest: Json): Promise<Said & { readonly status: number }> {
  const path = `${pathOf(manifest)}?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await hub().api('admin').create(path, manifest);
  if (status >= 300) return { status, isRefused: true, places: placesOf(body), text: String(body['message']) };
  const places = droppedFrom(manifest, body);
  return { status, isRefused: places.length > 0, places, text: `drops ${places.join()}` };
}

/** What of a manifest is not in the object that comes of it; metadata and status are not the writer's. */
function droppedFrom(manifest: Json, stored: Json): readonly string[] {
  const namespace = fieldOf(manifest['metadata'], 'namespace');
  const kept = fieldOf(stored['metadata'], 'namespace');
  const isDropped = typeof namespace === 'string' && namespace !== '' && kept === undefined;
  return [...(isDropped ? ['metadata.namespace'] : []), ...missingFrom(manifest['spec'], stored['spec'], 'spec')];
}

function missingFrom(written: unknown, kept: unknown, place: string): readonly string[] {
  if (typeof written !== 'object' || written === null) return [];
  return Object.entries(written).flatMap(([key, value]: [string, unknown]) => {
    const here = Array.isArray(written) ? `${place}[${key}]` : `${place}.${key}`;
    const isKept = typeof kept === 'object' && kept !== null && Object.hasOwn(kept, key);
    return isKept ? missingFrom(value, (kept as Json)[key], here) : [here];
  });
}

function placesOf(body: Answer['body']): readonly string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: { field?: string }[] };
  const unknown = [...String(body['message']).matchAll(/unknown field "([^"]*)"/g)].map(([, field = '']) => field);
  // What is about the whole object is about `<nil>`.
  return [...causes.map(({ field = '' }) => field.replace('<nil>', '')), ...unknown];
}

interface Checked {
  /** By its shape alone. */
  readonly byShape: Said;
  /** By shape or rules. */
  readonly inAll: Said;
}

async function saidByCheck(manifest: Json): Promise<Checked> {
  const { out } = await run(['check', '-', '--format', 'json'], { input: JSON.stringify(manifest) });
  const { findings, errors } = JSON.parse(out) as {
    findings: { rule: string; severity: string; outcome: string; path: string; message: string }[];
    errors: { message: string }[];
  };
  const refusals = findings.filter(({ severity, outcome }) => severity === 'deny' && outcome === 'violated');
  const ofErrors = errors.map(({ message }) => ({ path: /^([^: ]*): /.exec(message)?.[1] ?? '', message }));
  const ofShape = refusals.filter(({ rule }) => rule.startsWith('manifest-'));
  return { byShape: said([...ofErrors, ...ofShape]), inAll: said([...ofErrors, ...refusals]) };
}

function said(told: readonly { readonly path: string; readonly message: string }[]): Said {
  const text = told.map(({ path, message }) => `${path}: ${message}`).join('\n    ');
  return { isRefused: told.length > 0, places: told.map(({ path }) => path), text };
}

/** Whether one place is in the other. Of an owner reference the API server does not say which it is. */
function isAlong(place: string, other: string): boolean {
  const one = place.replace(/^metadata\.ownerReferences\[\d+\]/, 'metadata.ownerReferences');
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) && (short === '' || ['', '.', '['].includes(long.charAt(short.length)));
}

type Outcome =
  | 'taken by both'
  | 'refused by both'
  | 'refused by a rule alone'
  | 'of a namespace that is not there'
  | 'MISSED BY CHECK'
  | 'REFUSED BY CHECK ALONE';

interface Compared {
  readonly is: Outcome;
  readonly text: string;
}

async function compared(manifest: Json): Promise<Compared> {
  const [server, { byShape, inAll }] = [await saidByServer(manifest), await saidByCheck(manifest)];
  const text = `${JSON.stringify(manifest)}\n  server: ${server.text}\n  check: ${inAll.text}`;
  const is = (): Outcome => {
    if (!server.isRefused) {
      if (byShape.isRefused) return 'REFUSED BY CHECK ALONE';
      return inAll.isRefused ? 'refused by a rule alone' : 'taken by both';
    }
    const isElsewhere = server.status === 404 && /namespaces? .* not found/.test(server.text);
    if (!inAll.isRefused) return isElsewhere ? 'of a namespace that is not there' : 'MISSED BY CHECK';
    const isMet = (place: string): boolean => inAll.places.some((one) => isAlong(one, place));
    return server.places.every(isMet) ? 'refused by both' : 'MISSED BY CHECK';
  };
  return { is: is(), text };
}

/** Compares on so many manifests, prints how many came to what, and gives those that nothing explains. */
async function unexplained(what: string, manifests: readonly Json[]): Promise<readonly string[]> {
  const distinct = [...new Map(manifests.map((manifest) => [JSON.stringify(manifest), manifest])).values()];
  const all = await Promise.all(
    pooled(
      distinct.map((manifest) => () => compared(manifest)),
      8,
    ),
  );
  const counts = new Map<Outcome, number>();
  for (const { is } of all) counts.set(is, (counts.get(is) ?? 0) + 1);
  const lines = [...counts].map(([is, times]) => `${String(times)} ${is}`).sort();
  console.log([`${String(distinct.length)} manifests, ${what}:`, ...lines].join('\n  '));
  return all.filter(({ is }) => is === is.toUpperCase()).map(({ is, text }) => `${is}: ${text}`);
}

const count = Number(process.env['STAGEGUARD_CHECK_MANIFESTS'] ?? 800);
const seed = Number(process.env['STAGEGUARD_CHECK_SEED'] ?? 1);
const wrongGoods = examplesIn('good').flatMap(everyMistakeIn);

/** Writes that a generator has made up, and examples with some changes. */
function someMistakes(): readonly Json[] {
  const created = generatedWrites(count)
    .filter(({ patch }) => patch === undefined)
    .map(({ object }) => object);
  const examples = ['fleet', 'good', 'warn', 'bad'].flatMap(examplesIn);
  return [...created, ...fc.sample(mutatedFrom(fc.constantFrom(...examples)), { numRuns: count, seed })];
}

describe('check says what the API server says without a guard', () => {
  test('of every key of every good example dropped, renamed, misspelled or retyped', async () => {
    const found = await unexplained('each a good example with one key wrong', wrongGoods);
    expect(found.slice(0, 5).join('\n')).toBe('');
    expect(found).toHaveLength(0);
  }, 120_000);

  test(`of ${String(count)} writes and ${String(count)} changed examples of seed ${String(seed)}`, async () => {
    const found = await unexplained(`seed ${String(seed)}`, someMistakes());
    expect(found.slice(0, 5).join('\n')).toBe('');
    expect(found).toHaveLength(0);
  }, 1_200_000);

  test('and kubectl takes and refuses the same as the API itself', async () => {
    const every = Math.floor(wrongGoods.length / 20);
    const samples = wrongGoods.filter((_, index) => index % every === 0).slice(0, 20);
    const outcomes = samples.map((manifest) => async () => {
      const args = ['create', '--dry-run=server', '--validate=strict', '-f', '-'];
      const { code, stderr } = await kubectl(hub(), 'admin', args, { stdin: JSON.stringify(manifest) });
      const { status, text } = await saidByServer(manifest);
      return { isAlike: (code === 0) === status < 300, text: `${text}\n${stderr}${JSON.stringify(manifest)}` };
    });
    const all = await Promise.all(pooled(outcomes, 4));
    expect(all.filter(({ isAlike }) => !isAlike).map(({ text }) => text)).toEqual([]);
    expect(all).toHaveLength(20);
  }, 60_000);
});

/** What YAML 1.1 reads otherwise than it looks, and what looks as if it did. */
const scalars = [
  ...['y', 'Y', 'n', 'N', 'yes', 'Yes', 'YES', 'yEs', 'no', 'No', 'NO', 'on', 'On', 'ON', 'off', 'Off', 'OFF', 'oN'],
  ...['true', 'True', 'TRUE', 'tRue', 'false', 'False', 'FALSE', '~', 'null', 'Null', 'NULL', 'nULL', '"y"', "'no'"],
  ...['0x1F', '010', '0o10', '0b11', '1_000', '1e3', '.5', '5.', '+1', '-1', '08', '0', '1.0', '0.10', '1e-3', '0x'],
  ...['12:30', '1:20:30', '190:20:30.15', '2026-01-01', '2026-01-01T00:00:00Z', '=', '1,000', '1e', '_1', '!!str 5'],
];

test('check reads YAML as kubectl does', async () => {
  const lines = scalars.map((scalar, index) => `  at${String(index)}: ${scalar}`);
  const head = { apiVersion: 'placement.kubernetes-fleet.io/v1beta1', kind: 'ClusterResourceOverrideSnapshot' };
  const text = [`apiVersion: ${head.apiVersion}`, `kind: ${head.kind}`, 'metadata: {name: a}', 'spec:', ...lines].join(
    '\n',
  );
  const args = ['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', '-'];
  const { stdout } = await kubectl(hub(), 'admin', args, { stdin: text });
  const [ours] = parseManifests('stdin', text).documents;
  expect(ours?.json['spec']).toEqual((JSON.parse(stdout) as Json)['spec']);
});
