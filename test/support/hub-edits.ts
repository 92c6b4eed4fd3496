import type { Hub, Json } from './hubs.js';

/** An object of a hub that is being edited. */
class Edited {
  constructor(readonly json: Json) {}

  /** `status.conditions[Applied].status`: a step in brackets is an index, or what an item is called. */
  at(path: string): unknown {
    return stepsOf(path).reduce<unknown>((inside, step) => child(inside, step), this.json);
  }

  /** Sets a value; what a path leads through is made where it is not there. */
  set(path: string | readonly string[], value: unknown): this {
    const steps = stepsOf(path);
    const last = steps.pop() ?? '';
    let inside: unknown = this.json;
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1] ?? last;
      const found = child(inside, step);
      inside = found ?? put(inside, step, next.startsWith('[') ? [] : {});
    }
    put(inside, last, value);
    return this;
  }

  /** Takes a value away. */
  drop(path: string): this {
    const steps = stepsOf(path);
    const last = steps.pop() ?? '';
    const inside = steps.reduce<unknown>((object, step) => child(object, step), this.json);
    if (Array.isArray(inside)) inside.splice(placeIn(inside, last), 1);
    else Reflect.deleteProperty(inside as Json, last);
    return this;
  }

  /** Sets a condition, seen at the generation that the object has. */
  says(path: string, status: string, { reason = 'Because', message = '', at = '2026-11-18T10:59:30Z' } = {}): this {
    const type = /\[(\w+)\]$/.exec(path)?.[1] ?? '';
    const observedGeneration = this.at('metadata.generation');
    return this.set(path, { type, status, reason, message, lastTransitionTime: at, observedGeneration });
  }
}

function stepsOf(path: string | readonly string[]): string[] {
  if (typeof path !== 'string') return [...path];
  return path.match(/\[[^\]]+\]|[^.[\]]+/g) ?? [];
}

/** By which fields items of a list are known. */
const keys = ['type', 'name', 'clusterName', 'stageName'];

function placeIn(list: readonly unknown[], step: string): number {
  const called = step.slice(1, -1);
  return /^\d+$/.test(called)
    ? Number(called)
    : list.findIndex((item) => keys.some((key) => (item as Json)[key] === called));
}

function child(inside: unknown, step: string): unknown {
  if (Array.isArray(inside)) return inside[placeIn(inside, step)] as unknown;
  return (inside as Json | undefined)?.[step];
}

function put(inside: unknown, step: string, value: unknown): unknown {
  if (!Array.isArray(inside)) (inside as Json)[step] = value;
  else {
    const place = placeIn(inside, step);
    if (place < 0 || place >= inside.length) inside.push(value);
    else inside[place] = value;
  }
  return value;
}

/** A hub that is being edited; the one it was made of stays as it is. */
export class HubEdits {
  private items: Edited[];

  constructor(private readonly hub: Hub) {
    this.items = structuredClone(hub.items).map((item) => new Edited(item));
  }

  get run(): Edited {
    return this.one('UpdateRun', this.hub.run);
  }

  get placement(): Edited {
    return this.one('ResourcePlacement');
  }

  get strategy(): Edited {
    return this.one('UpdateStrategy');
  }

  get request(): Edited {
    return this.one('ApprovalRequest');
  }

  get policySnapshot(): Edited {
    return this.one('PolicySnapshot');
  }

  snapshot(index: string): Edited {
    return this.of('ResourceSnapshot', (item) => String(item.at('metadata.name')).endsWith(`-${index}-snapshot`));
  }

  binding(cluster: string): Edited {
    return this.of('Binding', (item) => item.at('spec.targetCluster') === cluster);
  }

  work(cluster: string): Edited {
    return this.of('Work', (item) => item.at('metadata.namespace') === `fleet-member-${cluster}`);
  }

  member(name: string): Edited {
    return this.one('MemberCluster', name);
  }

  /** Another cluster gets a binding like that of the first. */
  copyBinding(from: string, to: string, name = `${to}-copy`): Edited {
    this.items = this.items.filter(
      (item) => !(String(item.json['kind']).endsWith('Binding') && item.at('spec.targetCluster') === to),
    );
    return this.copy(this.binding(from), name).set('spec.targetCluster', to);
  }

  remove(...gone: readonly Edited[]): this {
    this.items = this.items.filter((item) => !gone.includes(item));
    return this;
  }

  /** A copy of an object under another name. */
  copy(item: Edited, name: string): Edited {
    const copied = new Edited(structuredClone(item.json)).set('metadata.name', name).set('metadata.uid', `uid-${name}`);
    this.items.push(copied);
    return copied;
  }

  done(scenario: string): Hub {
    return { ...this.hub, scenario, items: this.items.map(({ json }) => json) };
  }

  private one(kind: string, name?: string): Edited {
    return this.of(kind, (item) => name === undefined || item.at('metadata.name') === name);
  }

  /** In the scope of the hub's run, where there are twins. */
  private of(kind: string, fits: (item: Edited) => boolean): Edited {
    const found = this.items.filter((item) => String(item.json['kind']).endsWith(kind) && fits(item));
    const inScope = found.find((item) => item.at('metadata.namespace') === this.hub.namespace) ?? found[0];
    if (inScope === undefined) throw new Error(`${this.hub.scenario} has no ${kind}`);
    return inScope;
  }
}
