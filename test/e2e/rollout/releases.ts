import { expect } from '@jest/globals';
import { kindIn } from '../../../src/fleet/kinds.js';
import { fleetKeys } from '../../../src/fleet/fleet-keys.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { kubectl, type Ran } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { conditionOf, placement, run, scheduled, strategy, yamlOf } from '../harness/world.js';

interface Release {
  readonly name: string;
  readonly index?: string;
  /** Which resource snapshot each cluster has before it, and has afterwards. */
  readonly from: string;
  readonly to: string;
}

const first: Release = { name: 'release-1', from: '', to: 'shop-0-snapshot' };
const next: Release = { name: 'release-2', from: 'shop-0-snapshot', to: 'shop-1-snapshot' };
const back: Release = { name: 'back-1', index: '0', from: 'shop-1-snapshot', to: 'shop-0-snapshot' };

/** The first rollout, the next version, and back to the first, each as soon as the one before is over. */
export class Releases {
  readonly out: Promise<void>;
  readonly next: Promise<void>;
  readonly back: Promise<void>;

  constructor(
    private readonly hub: Hub,
    private readonly scope: Scope,
  ) {
    this.out = this.rollOut();
    this.next = this.out.then(() => this.rollOutNext());
    this.back = this.next.then(() => this.release(back));
    // Each is looked at in its turn.
    for (const outcome of [this.out, this.next, this.back]) outcome.catch(() => undefined);
  }

  private async rollOut(): Promise<void> {
    expect(await this.apply(placement(this.scope, 'shop'), strategy(this.scope, 'rings'))).toMatchObject({
      code: 0,
      stderr: '',
    });
    await scheduled(this.hub, this.scope, 'shop');
    await this.release(first);
    expect(await this.statusOf(first.name)).toMatchObject({
      appliedStrategy: { type: 'ClientSideApply', whenToApply: 'Always' },
      policySnapshotIndexUsed: '0',
    });
  }

  /** The resources have changed, and the placement has another policy and another way to apply them. */
  private async rollOutNext(): Promise<void> {
    const agent = this.hub.api('hubAgent');
    const older = { metadata: { labels: { [fleetKeys.isLatest]: 'false' } } };
    expectStored(await agent.patch(pathOf('ResourceSnapshot', this.scope, next.from), 'merge', older));
    expectStored(await agent.create(pathOf('ResourceSnapshot', this.scope), resourceSnapshot('shop', 1, this.scope)));
    const policy = { placementType: 'PickAll', tolerations: [{ key: 'gpu', operator: 'Exists' }] };
    const changed = { policy, strategy: { type: 'External', applyStrategy: { type: 'ServerSideApply' } } };
    expect(await this.apply(placement(this.scope, 'shop', changed))).toMatchObject({ code: 0, stderr: '' });
    await scheduled(this.hub, this.scope, 'shop');
    await this.release(next);
    expect(await this.statusOf(next.name)).toMatchObject({
      appliedStrategy: { type: 'ServerSideApply', whenToApply: 'Always' },
      policySnapshotIndexUsed: '1',
    });
  }

  private async release({ name, index, from, to }: Release): Promise<void> {
    const { hub, scope } = this;
    const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings' };
    const created = await this.apply(run(scope, name, { ...spec, ...(index && { resourceSnapshotIndex: index }) }));
    expect([created.code, created.stdout]).toEqual([0, expect.stringContaining(`${name} created`)]);
    for (const gate of [`${name}-after-canary`, `${name}-before-production`]) {
      await this.gateExists(gate);
      // It goes stage by stage.
      expect(await this.bound()).toEqual({ 'eu-1': to, 'eu-2': from, 'us-1': from });
      const approved = await this.approve(gate);
      expect([approved.code, approved.stdout]).toEqual([0, expect.stringContaining('patched')]);
      await conditionOf(hub, 'ApprovalRequest', scope, [gate, 'ApprovalAccepted']);
    }
    await conditionOf(hub, 'UpdateRun', scope, [name, 'Succeeded']);
    expect(await this.bound()).toEqual({ 'eu-1': to, 'eu-2': to, 'us-1': to });
  }

  /** Which resource snapshot each cluster has. */
  private async bound(): Promise<Record<string, string>> {
    const { body } = await this.hub.api('admin').get(pathOf('Binding', this.scope));
    const bindings = body['items'] as { spec: { targetCluster: string; resourceSnapshotName: string } }[];
    return Object.fromEntries(bindings.map(({ spec }) => [spec.targetCluster, spec.resourceSnapshotName]));
  }

  private async statusOf(name: string): Promise<unknown> {
    const { body } = await this.hub.api('admin').get(pathOf('UpdateRun', this.scope, name));
    return body['status'];
  }

  private gateExists(name: string): Promise<true> {
    return eventually(`${name} exists`, async () => {
      const { status } = await this.hub.api('alice').get(pathOf('ApprovalRequest', this.scope, name));
      return status === 200 ? true : undefined;
    });
  }

  private approve(name: string): Promise<Ran> {
    const { plural } = kindIn('ApprovalRequest', this.scope);
    const patch = '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}';
    const within = this.scope === undefined ? [] : ['-n', this.scope];
    const args = ['patch', plural, name, ...within, '--subresource=status', '--type=merge', '-p', patch];
    return kubectl(this.hub, 'alice', args);
  }

  private apply(...objects: readonly Json[]): Promise<Ran> {
    return kubectl(this.hub, 'alice', ['apply', '-f', '-'], { stdin: yamlOf(...objects) });
  }
}
