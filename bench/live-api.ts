import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kinds } from '../src/fleet/kinds.js';
import {
  approval,
  memberCluster,
  placement,
  policySnapshot,
  resourceSnapshot,
  run,
  sizes,
  strategy,
} from './large-fleet.js';

type Json = Readonly<Record<string, unknown>>;

const collections: Readonly<Record<string, { readonly count: number; readonly object: (index: number) => Json }>> = {
  clusterstagedupdateruns: { count: sizes.runs, object: run },
  clusterstagedupdatestrategies: { count: 1, object: () => strategy },
  clusterapprovalrequests: { count: sizes.approvals, object: approval },
  clusterresourceplacements: { count: sizes.placements, object: placement },
  clusterschedulingpolicysnapshots: { count: sizes.placements, object: policySnapshot },
  clusterresourcesnapshots: { count: sizes.resourceSnapshots, object: resourceSnapshot },
  memberclusters: { count: sizes.memberClusters, object: memberCluster },
};

/** An API server that makes up its objects when it is asked; it runs in a process of its own, and tells its parent the port. */
export function serveLargeFleet(): void {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, , group, , plural] = url.pathname.split('/');
    response.writeHead(200, { 'content-type': 'application/json' });
    if (plural === undefined) {
      const resources = kinds.filter((kind) => kind.group === group).map((kind) => ({ name: kind.plural }));
      response.end(JSON.stringify({ resources }));
    } else if (url.searchParams.has('watch')) {
      response.flushHeaders();
    } else {
      const { count, object } = collections[plural] ?? { count: 0, object: () => ({}) };
      const from = Number(url.searchParams.get('continue') ?? 0);
      const to = Math.min(count, from + Number(url.searchParams.get('limit')));
      const items = Array.from({ length: to - from }, (_, i) => object(from + i));
      const next = to < count ? { continue: String(to) } : {};
      response.end(JSON.stringify({ metadata: { resourceVersion: '99999', ...next }, items }));
    }
  });
  // A guard that is busy with one list keeps the connections of others waiting.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}
