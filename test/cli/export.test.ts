import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { kindOf } from '../../src/fleet/kinds.js';
import { isVisible } from '../../src/fleet/quoted.js';
import { exportedObject, exportedWork } from '../../src/sources/exported-object.js';
import { run, type Captured } from '../support/captured-io.js';
import { exampleFiles } from '../support/examples.js';
import { diagnosisOf, hubNamed, hubs, type Hub, type Json } from '../support/hubs.js';
import { scratchFolder } from '../support/scratch.js';
import { useScriptedHub } from '../support/use-scripted-hub.js';

function exported(item: Json, reader: 'rules' | 'diagnosis'): Json[] {
  const kind = kindOf(String(item['apiVersion']), String(item['kind']));
  if (kind !== undefined) return [exportedObject(kind, item, reader)];
  return item['kind'] === 'Work' && reader === 'diagnosis' ? [exportedWork(item)] : [];
}

const listOf = (items: readonly Json[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

test.each(hubs.map((hub) => [hub.scenario, hub] as const))('%s is diagnosed alike from its export', (_, hub) => {
  const trimmed: Hub = { ...hub, items: hub.items.flatMap((item) => exported(item, 'diagnosis')) };
  expect(listOf(trimmed.items).length).toBeLessThan(listOf(hub.items).length);
  expect(diagnosisOf(trimmed)).toEqual(diagnosisOf(hub));
});

const fleetItems = exampleFiles('fleet').flatMap(({ text }) =>
  parseAllDocuments(text, { schema: 'core' }).map((document) => document.toJS() as Json),
);

test('manifests are judged alike by an export of the fleet', async () => {
  const items = fleetItems.flatMap((item) => exported(item, 'rules'));
  expect(items.length).toBeGreaterThan(100);
  const input = listOf(items);
  for (const folder of ['good', 'bad', 'warn']) {
    const argv = ['check', `examples/${folder}`, '--format', 'json', '--fleet'];
    expect((await run([...argv, '-'], { input })).out).toBe((await run([...argv, 'examples/fleet'])).out);
  }
  const audit = ['audit', '--format', 'json', '--fleet'];
  // The places are in other files.
  const told = ({ out }: Captured): unknown =>
    JSON.parse(out, (key, value: unknown) => (['file', 'line', 'column'].includes(key) ? undefined : value));
  expect(told(await run([...audit, '-'], { input }))).toEqual(told(await run([...audit, 'examples/fleet'])));
});

const canary = 'd0-not-export';
const secretText = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary, note: canary } };

/** Where others keep what is nobody's business. */
const secrets: readonly Json[] = [
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourceSnapshot',
    metadata: { name: 'a-0-snapshot', ...secretText, labels: { team: canary }, managedFields: [{ manager: canary }] },
    spec: { selectedResources: [{ apiVersion: 'v1', kind: 'Secret', data: { password: canary } }] },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterResourceOverrideSnapshot',
    metadata: { name: 'o-0', ...secretText },
    spec: { overrideSpec: { policy: { overrideRules: [{ jsonPatchOverrides: [{ value: canary }] }] } } },
  },
  {
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'Work',
    metadata: { name: 'a-work', namespace: 'fleet-member-c1', ...secretText },
    spec: { workload: { manifests: [{ kind: 'Secret', data: { password: canary } }] } },
    status: { manifestConditions: [{ identifier: { kind: 'Secret', name: 's' }, conditions: [], backup: canary }] },
  },
  {
    apiVersion: 'cluster.kubernetes-fleet.io/v1beta1',
    kind: 'MemberCluster',
    metadata: { name: 'c1', ...secretText },
    spec: { identity: { name: canary }, taints: [] },
    status: { properties: { 'a/b': { value: canary } }, resourceUsage: { capacity: { cpu: canary } } },
  },
];

test.each(['rules', 'diagnosis'] as const)(
  'no manifest, no secret and no note of others is in what %s read',
  (reader) => {
    const text = listOf([...secrets, ...fleetItems].flatMap((item) => exported(item, reader)));
    expect(text).toContain('c1');
    expect(text).not.toContain(canary);
    expect(listOf(secrets)).toContain(canary);
  },
);

describe('of a hub', () => {
  const stuck = hubNamed('stuck-apply-failed');
  const at = { now: () => Date.parse(stuck.recordedAt) };
  const api = useScriptedHub(stuck.items);

  const exportTo = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await run(['export', ...argv, '--kubeconfig', api().kubeconfig()]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const file = join(scratchFolder(), 'hub.json');
    writeFileSync(file, out);
    return file;
  };

  test('is judged alike from the file, without a hub', async () => {
    const live = await run(['audit', '--kubeconfig', api().kubeconfig(), '--format', 'json'], at);
    const file = await exportTo();
    const kept = await run(['audit', '--fleet', file, '--format', 'json'], at);
    expect(JSON.parse(kept.out)).toEqual(JSON.parse(live.out));
  });

  test('with a run, it is diagnosed alike', async () => {
    const live = await run(['diagnose', '--kubeconfig', api().kubeconfig()], at);
    const file = await exportTo('--run', stuck.run);
    expect((await run(['diagnose', '--fleet', file], at)).out).toBe(live.out);
    expect(live.out).toContain('Deployment app-stuck-apply-failed/web cannot be applied');
  });

  test('steers no terminal and no CI runner, and says the same', async () => {
    const [run] = stuck.items.filter((item) => item['kind'] === 'ClusterStagedUpdateRun');
    const message = 'a\u009b8m\u202e ##[error]b';
    const conditions = [{ type: 'Initialized', status: 'False', reason: 'a', message }];
    const metadata = { ...(run?.['metadata'] as Json), name: 'evil', uid: 'evil' };
    api().put({ ...run, metadata, status: { conditions } });
    const text = readFileSync(await exportTo(), 'utf8');
    expect(text.split('\n').filter((line) => !isVisible(line) || line.includes('##'))).toEqual([]);
    const lists = (JSON.parse(text) as { items: { items: Json[] }[] }).items;
    const [evil] = lists.flatMap(({ items }) => items).filter((item) => (item['metadata'] as Json)['name'] === 'evil');
    expect(evil?.['status']).toMatchObject({ conditions: [{ message }] });
  });

  test('what is asked for and cannot be had is exit code 2, and nothing is printed', async () => {
    const argv = ['export', '--kubeconfig', api().kubeconfig()];
    const missing = await run([...argv, '--run', 'stuck-aply-failed-release']);
    expect(missing).toMatchObject({ code: 2, out: '' });
    expect(missing.err).toContain('did you mean "stuck-apply-failed-release"?');
    expect(await run([...argv, '-n', 'team-a'])).toMatchObject({ code: 2, out: '' });
    api().faults.list.push({ is: 'status', status: 403 });
    const denied = await run(argv);
    expect(denied).toMatchObject({ code: 2, out: '' });
    expect(denied.err).toContain('cannot read the hub at');
  });
});
