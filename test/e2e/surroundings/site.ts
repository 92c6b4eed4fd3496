import { expect } from '@jest/globals';
import { kindIn, type Family } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { kubectl, paste, type Ran } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import type { GuardedHub } from '../harness/use-guarded-hub.js';
import { conditionOf, placement, run, scheduled, stage, strategy, yamlOf } from '../harness/world.js';

/** Canary, then a gate, then production. */
export const gated = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];

/** One scope of a hub, as alice works in it with kubectl. */
export class Site {
  /** ` -n team-a`, as commands have it; empty in cluster scope. */
  readonly flag: string;
  private readonly within: readonly string[];

  constructor(
    private readonly it: () => GuardedHub,
    readonly scope: Scope,
  ) {
    this.within = scope === undefined ? [] : ['-n', scope];
    this.flag = this.within.map((word) => ` ${word}`).join('');
  }

  /** `release`, or `team-a/release`. */
  named(name: string): string {
    return this.scope === undefined ? name : `${this.scope}/${name}`;
  }

  kind(family: Family): string {
    return kindIn(family, this.scope).kind;
  }

  plural(family: Family): string {
    return kindIn(family, this.scope).plural;
  }

  /** `clusterresourceplacement.placement.kubernetes-fleet.io/shop`, as kubectl calls it. */
  called(family: Family, name: string): string {
    return `${this.kind(family).toLowerCase()}.${kindIn(family, this.scope).group}/${name}`;
  }

  /** What kubectl says of a deletion. */
  deleted(family: Family, name: string, how = ''): string {
    const where = this.scope === undefined ? '' : ` from ${this.scope} namespace`;
    return `${this.called(family, name).replace(/\/.*$/, '')} "${name}" deleted${where}${how}`;
  }

  kubectl(args: readonly string[], stdin = ''): Promise<Ran> {
    return kubectl(this.it().hub, 'alice', [...args, ...this.within], { stdin });
  }

  paste(line: string): Promise<Ran> {
    return paste(this.it().hub, 'alice', line);
  }

  apply(...objects: readonly Json[]): Promise<Ran> {
    return this.kubectl(['apply', '-f', '-'], yamlOf(...objects));
  }

  patch(family: Family, name: string, body: object): Promise<Ran> {
    return this.kubectl(['patch', this.plural(family), name, '--type=merge', '-p', JSON.stringify(body)]);
  }

  remove(family: Family, name: string, ...flags: readonly string[]): Promise<Ran> {
    return this.kubectl(['delete', this.plural(family), name, ...flags]);
  }

  /** A placement and a strategy of one name. */
  async ground(name: string, more: object = {}): Promise<void> {
    const both = [placement(this.scope, name, more), strategy(this.scope, name, gated)];
    expect(await this.apply(...both)).toMatchObject({ code: 0 });
    await scheduled(this.it().hub, this.scope, name);
  }

  async start(name: string, of: string, more: Json = {}): Promise<void> {
    const names = { placementName: of, stagedRolloutStrategyName: of };
    expect(await this.apply(run(this.scope, name, { ...names, ...more }))).toMatchObject({ code: 0 });
  }

  async initialized(name: string): Promise<void> {
    await conditionOf(this.it().hub, 'UpdateRun', this.scope, [name, 'Initialized']);
  }

  async atGate(name: string): Promise<void> {
    await eventually(`${name} waits at its gate`, async () => {
      const path = pathOf('ApprovalRequest', this.scope, `${name}-after-canary`);
      const { status } = await this.it().hub.api('admin').get(path);
      return status === 200 ? true : undefined;
    });
  }

  async approve(name: string): Promise<void> {
    const patch = '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}';
    const args = ['patch', this.plural('ApprovalRequest'), `${name}-after-canary`, '--subresource=status'];
    expect(await this.kubectl([...args, '--type=merge', '-p', patch])).toMatchObject({ code: 0 });
  }
}
