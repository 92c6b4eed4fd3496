import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { fieldOf, isObject } from '../fleet/json.js';
import type { Dictionary } from '../fleet/model.js';
import { silentLog, type Log } from '../log.js';
import type { Collection } from './collection.js';
import { identityOf, metadataOnly, type Hub } from './hub.js';
import { Reflector, type Sink } from './reflector.js';
import { takeAll } from './take-all.js';

const path = '/api/v1/namespaces';

/** Their names and labels, and nothing else of them. */
const namespaces: Collection = { kind: 'Namespace', path, accept: metadataOnly };

export interface NamespaceLabelsParts {
  readonly hub: Hub;
  /** Whether the settings speak of labels: nobody asks for namespaces before they do. */
  readonly isWanted: () => boolean;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** How soon settings that begin to speak of labels are followed. */
const lookMilliseconds = 1_000;

/** Follows the labels of all namespaces, as long as the settings speak of them. */
export class NamespaceLabels extends Background {
  private reflector: Reflector | undefined;
  private known = new Map<string, Dictionary>();
  private hasSynced = false;

  constructor(private readonly parts: NamespaceLabelsParts) {
    super(parts.clock);
  }

  /** Undefined where there is no such namespace, or nobody has told of it yet; none for all before the first list is here. */
  labelsOf(namespace: string): Dictionary | undefined {
    return this.hasSynced ? this.known.get(namespace) : {};
  }

  missing(): readonly string[] {
    return this.hasSynced || !this.parts.isWanted() ? [] : ['the list of Namespace'];
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.reflector?.stop();
  }

  protected async turn(): Promise<number> {
    const isWanted = this.parts.isWanted();
    if (isWanted && this.reflector === undefined) this.follow();
    if (!isWanted && this.reflector !== undefined) {
      await this.reflector.stop();
      this.reflector = undefined;
      this.known = new Map();
      this.hasSynced = false;
    }
    return lookMilliseconds;
  }

  private follow(): void {
    const { hub, log = silentLog } = this.parts;
    this.reflector = new Reflector({ of: namespaces, hub, sink: sinkOf(this.known), clock: this.clock, log });
    this.reflector.start();
    void this.reflector.synced.then(() => {
      this.hasSynced = true;
    });
  }
}

function sinkOf(known: Map<string, Dictionary>): Sink {
  return {
    put(json) {
      const identity = identityOf(json);
      if (identity !== undefined) known.set(identity.key.name, labelsIn(json));
    },
    remove: ({ name }) => void known.delete(name),
    keepOnly(keys) {
      for (const name of known.keys()) if (!keys.has(`/${name}`)) known.delete(name);
    },
  };
}

function labelsIn(json: unknown): Dictionary {
  const labels = fieldOf(fieldOf(json, 'metadata'), 'labels');
  const texts = Object.entries(isObject(labels) ? labels : {}).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as Dictionary;
}

/** The labels of all namespaces as they are now, and none for one that is not there; fails where they cannot be read. */
export async function readNamespaceLabels(
  hub: Pick<Hub, 'list'>,
  signal: AbortSignal,
): Promise<(namespace: string) => Dictionary> {
  const known = new Map<string, Dictionary>();
  const sink = sinkOf(known);
  await takeAll(hub, { path, accept: metadataOnly.list, signal }, (item) => {
    sink.put(item);
  });
  return (namespace) => known.get(namespace) ?? {};
}
