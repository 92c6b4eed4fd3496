import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Json } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { expectStored } from './harness/hub.js';
import { paste, type Ran } from './harness/kubectl.js';
import { pathOf, type Scope } from './harness/paths.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, conditionOf, joinMembers, placement, run, scheduled, strategy, yamlOf } from './harness/world.js';

/* What a diagnosis prints is pasted, and the run goes on: the hub agent's stand-in takes it up from there. */

const it = useGuardedHub({ before: joinMembers, heldBack: ['broken'] });

interface Told {
  readonly state: string;
  readonly causes: readonly { readonly what: string; readonly commands: readonly string[] }[];
}

const names = { placementName: 'shop', stagedRolloutStrategyName: 'rings' };

class Site {
  constructor(private readonly scope: Scope) {}

  async apply(...objects: readonly Json[]): Promise<void> {
    const { stderr } = await paste(it().hub, 'alice', 'kubectl apply -f -', { stdin: yamlOf(...objects) });
    expect(stderr).not.toMatch(/Error/);
  }

  private command(line: string): string {
    const program = join(it().hub.folder, 'stageguard.mjs');
    return `'${process.execPath}' '${program}' ${line}${this.scope === undefined ? '' : ` -n ${this.scope}`}`;
  }

  /** Follows the run to its end. */
  watch(name: string): Promise<Ran> {
    return paste(it().hub, 'admin', this.command(`watch ${name} --timeout 100s --interval 200ms`));
  }

  /** Once the run is in that state. */
  told(name: string, state: string, cause = /./): Promise<Told> {
    const line = `${this.command(`diagnose ${name} --format json`)} || [ $? = 1 ]`;
    let last: unknown;
    return eventually(`${name} is ${state}`, async () => {
      const { stdout, stderr } = await paste(it().hub, 'admin', line);
      last = stderr + stdout;
      const [found] = (JSON.parse(stdout) as { runs: readonly Told[] }).runs;
      const isIt = found?.state === state && cause.test(found.causes[0]?.what ?? '');
      return isIt ? found : undefined;
    }).catch((error: unknown) => {
      throw new Error(String(last), { cause: error });
    });
  }

  /** All lines of the first cause; with a word, the one other way that has it. */
  async paste({ causes: [cause] }: Told, other?: RegExp): Promise<string> {
    const lines = cause?.commands ?? [];
    const chosen =
      other === undefined ? lines : lines.filter((line) => other.test(line)).map((line) => line.replace('# or: ', ''));
    expect(chosen).not.toEqual([]);
    const { code, stdout, stderr } = await paste(it().hub, 'alice', chosen.join('\n'));
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
    return stderr;
  }

  /** As the hub agent, to whom the guard does not listen. */
  async asAgent(family: 'UpdateRun' | 'ApprovalRequest', name: string, condition: object): Promise<void> {
    const path = pathOf(family, this.scope, `${name}/status`);
    const conditions = [{ lastTransitionTime: '2026-01-01T00:00:00Z', ...condition }];
    expectStored(await it().hub.api('hubAgent').patch(path, 'merge', { status: { conditions } }));
  }
}

test.each(bothScopes)(
  'journey: what is printed is pasted, and the run goes on, %s',
  async (_, scope) => {
    const site = new Site(scope);
    const { hub } = it();
    await site.apply(placement(scope, 'shop'), strategy(scope, 'rings'));
    await scheduled(hub, scope, 'shop');
    await site.apply(run(scope, 'release', { ...names, state: 'Initialize' }));

    const watched = site.watch('release');
    // Started.
    await site.paste(await site.told('release', 'not started'));
    // Stopped instead of approved, and resumed.
    await site.paste(await site.told('release', 'waiting for an approval', /release-after-canary/), /"Stop"/);
    await site.paste(await site.told('release', 'stopped'));
    await site.told('release', 'waiting for an approval', /nobody has approved/);
    // Approved as KubeFleet does not hear it, and approved again.
    const deaf = { type: 'Approved', status: 'True', reason: 'a', message: 'a', observedGeneration: 0 };
    await site.asAgent('ApprovalRequest', 'release-after-canary', deaf);
    await site.paste(await site.told('release', 'waiting for an approval', /observedGeneration 0/));
    // Approved.
    await site.paste(await site.told('release', 'waiting for an approval', /nobody has approved.*before-production/));
    await conditionOf(hub, 'UpdateRun', scope, ['release', 'Succeeded']);
    const { code, stdout } = await watched;
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^[0-9:]+ {2}/, ''));
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: 'succeeded: canary 1/1, production 2/2' });
    expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual(
      expect.arrayContaining(['waiting for an approval', 'stopped', 'succeeded']),
    );
  },
  120_000,
);

test.each(bothScopes)(
  'journey: a run that is over has a new one in its place, %s',
  async (_, scope) => {
    const site = new Site(scope);
    await site.apply(run(scope, 'broken', names));
    const message =
      'cannot continue the updateRun: failed to validate the updateRun: policy snapshot `shop-0` not fully scheduled yet';
    const reason = 'UpdateRunInitializedFailed';
    await site.asAgent('UpdateRun', 'broken', { type: 'Initialized', status: 'False', reason, message });
    const told = await site.told('broken', 'failed to initialize', /is not any more/);
    await site.paste(told);
    await site.told('broken-2', 'waiting for an approval');
    // The old one goes, and whoever deletes it is told what was the matter with it.
    const [deletion = ''] = told.causes[0]?.commands.filter((line) => line.startsWith('# kubectl delete')) ?? [];
    const { code, stderr } = await paste(it().hub, 'alice', deletion.replace('# ', ''));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Warning: run "broken" is in trouble: failed to initialize'),
    });
  },
  120_000,
);
