import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { diagnoseRuns } from '../../src/cli/diagnose.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { reportsAmong } from '../../src/fleet/reports.js';
import { catalogue } from '../../src/rules/index.js';
import { noFleet, nothingKnown, type FleetSource } from '../../src/sources/fleet-source.js';
import { hubNamed, hubs, runOf, type Hub, type Json } from '../support/hubs.js';
import { run as stageguard, type Captured } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';
import { useScriptedHub } from '../support/use-scripted-hub.js';

const list = (hub: Hub): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: hub.items });

const diagnose = (hub: Hub, ...argv: string[]): Promise<Captured> =>
  stageguard(['diagnose', '--fleet', '-', '--at', hub.recordedAt, ...argv], { input: list(hub) });

const stuck = hubNamed('stuck-apply-failed');

/** The stuck run, where everything that somebody else has written speaks as badly as it can. */
function hostile(): Hub {
  const evil = 'x\n::error::y\u001b[8m</p><script>alert(1)</script>|`$(touch /tmp/z)`@team\u202e';
  const items = stuck.items.map((item) => {
    const text = JSON.stringify(item).replaceAll('image is not signed', JSON.stringify(evil).slice(1, -1));
    return JSON.parse(text) as Json;
  });
  return { ...stuck, items };
}

describe('diagnose', () => {
  test('tells as text what is wrong, on what it rests and what to do', async () => {
    const { code, out } = await diagnose(stuck);
    expect(code).toBe(1);
    expect(out).toContain('ClusterStagedUpdateRun stuck-apply-failed-release: stuck, in stage "staging" (1 of 3)');
    expect(out).toContain('stages: staging 0/1 (eu-stg-1 stuck), canary 0/2, prod 0/2');
    expect(out).toContain('  Work fleet-member-eu-stg-1/plc-stuck-apply-failed-work status.manifestConditions');
    expect(out).toContain('kubectl describe clusterresourceplacements plc-stuck-apply-failed');
    expect(out).toContain('1 run: 1 with a problem, 0 waiting as planned, 0 well');
  });

  test('ends with 0 where a run waits as planned', async () => {
    const { code, out } = await diagnose(hubNamed('timed-wait'));
    expect(code).toBe(0);
    expect(out).toContain('0 with a problem, 1 waiting as planned');
  });

  test('finds the one run of a name in a namespace, and says what it does not find', async () => {
    expect((await diagnose(hubNamed('stopped-ns'), 'stopped-release')).code).toBe(0);
    const missing = await diagnose(stuck, 'stuck-apply-faild-release');
    expect(missing.code).toBe(2);
    expect(missing.err).toContain(
      'there is no run stuck-apply-faild-release; did you mean "stuck-apply-failed-release"?',
    );
    expect((await diagnose(stuck, 'stuck-apply-failed-release', '-n', 'other')).code).toBe(2);
  });

  test('tells of equal health what stands half-way before what has changed nothing', async () => {
    const together = {
      ...stuck,
      items: [...hubNamed('no-strategy').items, ...hubNamed('preempted-ns').items, ...stuck.items],
    };
    const { out } = await diagnose(together, '--format', 'json');
    const { runs } = JSON.parse(out) as { runs: { state: string }[] };
    expect(runs.map(({ state }) => state)).toEqual(['aborted', 'stuck', 'failed to initialize', 'under way']);
  });

  test('passes over what is over and long ago', async () => {
    expect((await diagnose(hubNamed('succeeded'))).out).toContain('no runs that are not over');
    const aborted = hubNamed('preempted-ns');
    expect((await diagnose(aborted)).out).toContain('preempted-first: aborted');
    const later = await stageguard(['diagnose', '--fleet', '-', '--at', '2026-11-20T00:00:00Z'], {
      input: list(aborted),
    });
    expect(later.out).not.toContain('preempted-first: aborted');
  });

  test('reports for programs', async () => {
    const { out } = await diagnose(stuck, '--format', 'json');
    const [found] = (JSON.parse(out) as { runs: Json[] }).runs;
    expect(found).toMatchObject({
      kind: 'ClusterStagedUpdateRun',
      name: 'stuck-apply-failed-release',
      state: 'stuck',
      health: 'wrong',
      stages: [{ name: 'staging', clusters: [{ name: 'eu-stg-1', state: 'stuck' }] }, {}, {}],
    });
    const [cause] = found?.['causes'] as { evidence: Json[]; commands: string[] }[];
    expect(cause?.evidence[0]).toMatchObject({
      kind: 'ClusterResourceBinding',
      field: 'status.conditions[Applied]',
      ageSeconds: 344,
    });
    expect(cause?.commands[0]).toMatch(/^kubectl describe/);
  });

  test.each(['text', 'json', 'markdown', 'html'])('lets nobody else speak in %s', async (format) => {
    const { out } = await diagnose(hostile(), '--format', format);
    expect(['\u001b', '\u202e'].filter((mark) => out.includes(mark))).toEqual([]);
    expect(out).not.toMatch(/^\s*::error|^y/m);
    const shown = format === 'markdown' ? out.replaceAll(/`[^`\n]*`/g, '') : out;
    if (format === 'markdown' || format === 'html') expect(shown).not.toMatch(/<script>|@team.*\|/);
  });

  test('names nobody where it is told to redact', async () => {
    for (const format of ['text', 'json', 'markdown', 'html']) {
      const { out } = await diagnose(stuck, '--redact', '--format', format);
      expect(out).not.toMatch(/eu-stg-1|stuck-apply-failed|policy\.example|428a45bc/);
      expect(out).toMatch(/cluster-\d/);
    }
  });

  test.each(hubs.map((hub) => [hub.scenario, hub] as const))('redacted, names nobody of %s', async (_, hub) => {
    const names = hub.items.flatMap(({ metadata }) => {
      const { name, namespace } = metadata as Json;
      return [name, namespace].filter((one): one is string => typeof one === 'string');
    });
    // All that a hub holds, and the names that KubeFleet makes of them begin with them.
    const known = `\\b(?:${[...new Set([hub.run, ...names])].filter((name) => name !== 'web').join('|')})`;
    for (const kinds of [[], ['Work'], ['ClusterResourcePlacement', 'ResourcePlacement']]) {
      const items = hub.items.filter(({ kind }) => !kinds.includes(String(kind)));
      const { out } = await diagnose({ ...hub, items }, hub.run, '--redact', '--format', 'json');
      expect(out).toContain('"doing"');
      expect([...out.matchAll(new RegExp(known, 'g'))].map(([name]) => name)).toEqual([]);
      expect(out).not.toMatch(/\/web\b/);
      expect(out).not.toContain('apiVersion: …');
    }
  });

  test('reports in several formats at once, one of them into a file', async () => {
    const file = join(scratchFolder(), 'run.html');
    const { out } = await diagnose(stuck, '--format', 'markdown', '--format', `html=${file}`);
    expect(out).toMatch(/^#/);
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
    expect((await diagnose(stuck, '--format', 'text', '--format', 'json')).code).toBe(2);
    expect((await diagnose(stuck, '--format', 'sarif')).code).toBe(2);
  });

  test('looks at a few runs together, and tells the worst first', async () => {
    const { fleet } = nothingKnown();
    const runs = Array.from({ length: 9 }, (_, at) => ({ ...runOf(at === 6 ? stuck : hubNamed('succeeded')) }));
    let [together, most] = [0, 0];
    const source: FleetSource = {
      ...noFleet(),
      reports: async (run) => {
        most = Math.max(most, ++together);
        await new Promise((resolve) => setImmediate(resolve));
        together -= 1;
        return reportsAmong([], run, false);
      },
      asked: () => Promise.resolve({ fleet, knowledge: 'none', problems: [] }),
    };
    const { diagnoses } = await diagnoseRuns(source, runs, { rules: catalogue, policy: defaultPolicy, now: 0 });
    expect(diagnoses.map(({ state }) => state)).toEqual(['stuck', ...Array<string>(8).fill('succeeded')]);
    expect(most).toBe(4);
  });

  test('rejects what is no time', async () => {
    expect((await stageguard(['diagnose', '--at', 'yesterday', '--fleet', '-'])).code).toBe(2);
  });
});

describe('on a hub', () => {
  const api = useScriptedHub(stuck.items);
  const at = Date.parse(stuck.recordedAt);

  test('reads the works of the clusters under way, and watches none', async () => {
    const { code, out } = await stageguard(['diagnose', '--kubeconfig', api().kubeconfig()], { now: () => at });
    expect(code).toBe(1);
    expect(out).toContain('Deployment app-stuck-apply-failed/web cannot be applied');
    expect(out).toContain('Work fleet-member-eu-stg-1/plc-stuck-apply-failed-work');
  });

  test('watch ends with the outcome of the run', async () => {
    const aborted = hubNamed('preempted-ns');
    for (const item of aborted.items) api().put(item);
    const watched = await stageguard([
      'watch',
      'preempted-first',
      '-n',
      'app-preempted-ns',
      '--kubeconfig',
      api().kubeconfig(),
    ]);
    expect(watched.code).toBe(1);
    expect(watched.out).toContain('aborted: staging 0/1 (eu-stg-1 failed)');
    expect(watched.out).toContain('run "preempted-second" took over cluster "eu-stg-1"');
    for (const item of hubNamed('succeeded').items) api().put(item);
    expect((await stageguard(['watch', 'succeeded-release', '--kubeconfig', api().kubeconfig()])).code).toBe(0);
    const late = await stageguard([
      'watch',
      'stuck-apply-failed-release',
      '--timeout',
      '1s',
      '--interval',
      '200ms',
      '--kubeconfig',
      api().kubeconfig(),
    ]);
    expect({ code: late.code, err: late.err }).toEqual({ code: 1, err: 'the run is not over in time\n' });
    expect(late.out.match(/stuck: staging/g)).toHaveLength(1);
  });
});
