import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import type { Hub } from '../harness/hub.js';
import type { Ran } from '../harness/kubectl.js';
import { deskAt, type Desk } from './documents.js';
import type { Programs } from './pod-process.js';
import { StandInNode } from './stand-in-node.js';
import { Writers } from './writers.js';

/** A desk in front of a hub that can run pods, and people who write to it all the time. */
export interface BusyDesk {
  readonly node: StandInNode;
  readonly writers: Writers;
  readonly folder: string;
  readonly paste: (commands: string | undefined) => Promise<Ran>;
  /** Pastes what must go well; returns what it printed. */
  readonly done: (commands: string | undefined) => Promise<string>;
  /** Waits for more of something than there was until now. */
  readonly more: (what: 'refused' | 'letThrough', count?: number) => Promise<void>;
  /** Waits until no pod is left, and nobody is refused. */
  readonly whenGone: () => Promise<void>;
}

/** The pods run the program of now, but for those whose image has the tag of another. */
export function useDesk(hub: () => Hub, others: () => Programs = () => new Map()): () => BusyDesk {
  let node: StandInNode | undefined;
  let desk: Desk | undefined;
  let writers: Writers | undefined;
  beforeAll(async () => {
    node = await StandInNode.start(hub(), others());
    desk = deskAt(hub(), node.port);
  }, 60_000);
  afterAll(() => node?.stop());
  beforeEach(() => {
    writers = new Writers(hub());
  });
  afterEach(() => writers?.stop());
  return () => {
    if (node === undefined || desk === undefined || writers === undefined) throw new Error('the node did not start');
    return busy({ node, writers, ...desk });
  };
}

function busy(parts: Pick<BusyDesk, 'node' | 'writers' | 'folder' | 'paste'>): BusyDesk {
  const { node, writers, paste } = parts;
  const more: BusyDesk['more'] = async (what, count = 5) => {
    const wanted = writers[what] + count;
    const log = `${node.errors.join('\n')}${node.logs().slice(-2000)}`;
    await eventually(`${count} more ${what} (${log})`, () => writers[what] >= wanted || undefined, 60);
  };
  return {
    ...parts,
    more,
    async done(commands) {
      const { code, stdout, stderr } = await paste(commands);
      const failure = code === 0 ? '' : stderr;
      expect({ code, failure, errors: node.errors }).toEqual({ code: 0, failure: '', errors: [] });
      return stdout;
    },
    async whenGone() {
      await eventually('the pods are gone', () => node.size === 0 || undefined, 120);
      await more('letThrough');
    },
  };
}
