import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { floorObjects, type FloorSettings } from '../src/floor/objects.js';
import { floorPolicies } from '../src/floor/policy.js';
import { catalogue } from '../src/rules/index.js';
import { median, note, promise } from './promise.js';

/*
 * What the policies of the floor cost at a real API server: creations as dry runs, with and without them, in turns. Needs
 * the programs of the end-to-end suite (tools/kube/build.sh).
 */

const folder = execFileSync(join(process.cwd(), 'tools/kube/build.sh'), ['--print-dir'], { encoding: 'utf8' }).trim();
Object.assign(globalThis, {
  programs: Object.fromEntries(['etcd', 'kube-apiserver', 'kubectl', 'helm'].map((name) => [name, join(folder, name)])),
  runner: process.pid,
});
const { modesAsShipped } = await import('../src/engine/policy.js');
const { startHub, expectStored } = await import('../test/e2e/harness/hub.js');
const { pathOfKind } = await import('../test/e2e/floor/installed.js');
const { headOf, pathOf } = await import('../test/e2e/harness/paths.js');
const { eventually } = await import('../test/e2e/harness/eventually.js');

const rounds = 7;
const writesInRound = 100;
const settings: FloorSettings = {
  prefix: 'bench',
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: 'auto' },
  guard: undefined,
  modes: modesAsShipped,
};
const stage = (index: number, values: number): object => ({
  name: `s${String(index)}`,
  labelSelector: {
    matchExpressions: [
      {
        key: 'env',
        operator: 'In',
        values: Array.from({ length: values }, (_, value) => `v${String(index)}-${String(value)}`),
      },
    ],
  },
  afterStageTasks: [{ type: 'Approval' }, { type: 'TimedWait', waitTime: '1h' }],
});
const strategyOf = (stages: number, values: number): object => ({
  ...headOf('UpdateStrategy', undefined),
  metadata: { name: 'bench' },
  spec: { stages: Array.from({ length: stages }, (_, index) => stage(index, values)) },
});
const bodies = {
  'three stages': strategyOf(3, 2),
  '31 stages of 20 values': strategyOf(31, 20),
  '31 stages of 161 values': strategyOf(31, 161),
};

const hub = await startHub();
try {
  const admin = hub.api('admin');
  const dry = `${pathOf('UpdateStrategy', undefined)}?dryRun=All`;
  const objects = floorObjects(floorPolicies(catalogue), settings);
  const bindings = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
  for (const object of objects) expectStored(await admin.create(pathOfKind[object.kind], object));

  const isRefused = async (): Promise<boolean> =>
    (
      await admin.create(dry, {
        ...headOf('UpdateStrategy', undefined),
        metadata: { name: 'probe' },
        spec: { stages: [] },
      })
    ).status === 403;
  const switchTo = async (isOn: boolean): Promise<void> => {
    for (const binding of bindings) {
      await (isOn
        ? admin.create(pathOfKind[binding.kind], binding)
        : admin.delete(`${pathOfKind[binding.kind]}/${binding.metadata.name}`));
    }
    await eventually('the API server has noticed', async () => (await isRefused()) === isOn || undefined);
  };
  const measure = async (body: object): Promise<number> => {
    const times: number[] = [];
    for (let count = 0; count < writesInRound; count++) {
      const started = performance.now();
      const { status } = await admin.create(dry, body);
      if (status !== 201) throw new Error(`answered ${String(status)}`);
      times.push(performance.now() - started);
    }
    return median(times);
  };

  const secondsOfPolicies = async (): Promise<ReadonlyMap<string, { seconds: number; count: number }>> => {
    const { body } = await admin.get('/metrics');
    const found = new Map<string, { seconds: number; count: number }>();
    const line =
      /^apiserver_validating_admission_policy_check_duration_seconds_(sum|count)\{.*policy="([^"]+)",.*\} (.+)$/gm;
    for (const [, what, policy = '', value] of String(body['text']).matchAll(line)) {
      const one = found.get(policy) ?? { seconds: 0, count: 0 };
      one[what === 'sum' ? 'seconds' : 'count'] += Number(value);
      found.set(policy, one);
    }
    return found;
  };

  await eventually('the floor is in force', async () => (await isRefused()) || undefined);
  const names = Object.keys(bodies) as (keyof typeof bodies)[];
  const taken = new Map(names.map((name) => [name, { on: [] as number[], off: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    for (const isOn of round % 2 === 0 ? [true, false] : [false, true]) {
      await switchTo(isOn);
      for (const name of names) taken.get(name)?.[isOn ? 'on' : 'off'].push(await measure(bodies[name]));
    }
    process.stderr.write(`\rround ${String(round + 1)} of ${String(rounds)}`);
  }
  process.stderr.write('\r\u001b[K');
  await switchTo(true);
  for (const name of names) {
    const before = await secondsOfPolicies();
    await measure(bodies[name]);
    for (const [policy, { seconds, count }] of await secondsOfPolicies()) {
      const earlier = before.get(policy) ?? { seconds: 0, count: 0 };
      if (count === earlier.count) continue;
      const mean = (1e6 * (seconds - earlier.seconds)) / (count - earlier.count);
      note(`strategy of ${name}, ${policy}`, `${mean.toFixed(0)} µs`);
    }
  }
  for (const [name, { on, off }] of taken) {
    note(`strategy of ${name}, without the floor`, `${median(off).toFixed(2)} ms`);
    note(`strategy of ${name}, with it`, `${median(on).toFixed(2)} ms`);
    promise(`strategy of ${name}: times as long with the floor`, median(on) / median(off), {
      atMost: name === 'three stages' ? 2 : 5,
    });
  }
} finally {
  await hub.stop();
}
