import request from 'supertest';
import type TestAgent from 'supertest/lib/agent.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { Verdict } from '../../src/engine/verdict.js';
import { createApp, type AppDeps } from '../../src/http/app.js';
import { createMetrics, type Metrics } from '../../src/http/metrics.js';
import { listenHttps, type Listening } from '../../src/http/server.js';
import type { TlsPair } from '../../src/certificates/certificate.js';
import { selfSignedPair } from '../../src/certificates/issue.js';
import type { Log, LogFields } from '../../src/log.js';
import { testNow } from './rule-tester.js';

/** A log that keeps what it is told. */
export class RecordingLog implements Log {
  readonly lines: { level: string; fields: LogFields; message: string }[] = [];

  readonly debug = this.keep('debug');
  readonly info = this.keep('info');
  readonly warn = this.keep('warn');
  readonly error = this.keep('error');

  private keep(level: string) {
    return (fields: LogFields, message: string): void => {
      this.lines.push({ level, fields, message });
    };
  }
}

export const nothingFound: Verdict = {
  subject: { kind: 'ClusterStagedUpdateRun', namespace: undefined, name: 'release' },
  findings: [],
  failures: [],
  undetermined: [],
};

export interface TestGuard {
  readonly agent: TestAgent;
  readonly log: RecordingLog;
  readonly metrics: Metrics;
  readonly pair: TlsPair;
  readonly listening: Listening;
  stop(): Promise<void>;
}

/** A guard on a free port of loopback, over real TLS. */
export async function startGuard(
  deps: Partial<AppDeps> = {},
  listen: { readonly mostConnections?: number } = {},
): Promise<TestGuard> {
  const log = new RecordingLog();
  const metrics = createMetrics();
  const app = createApp({
    judge: () => nothingFound,
    policy: () => defaultPolicy,
    now: () => testNow,
    readiness: () => ({ ready: true, missing: [] }),
    log,
    metrics,
    ...deps,
  });
  const pair = await selfSignedPair();
  const listening = await listenHttps(app, pair, { host: '127.0.0.1', port: 0, ...listen });
  const agent = request.agent(`https://127.0.0.1:${listening.port}`, { ca: pair.cert });
  return { agent, log, metrics, pair, listening, stop: () => listening.drain({ hardMilliseconds: 0 }) };
}

type Json = Readonly<Record<string, unknown>>;

/** An AdmissionReview as the API server writes it; `more` replaces fields of the request. */
export function reviewOf(plural: string, kind: string, more: Json): Json {
  const group = plural === 'memberclusters' ? 'cluster.kubernetes-fleet.io' : 'placement.kubernetes-fleet.io';
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group, version: 'v1beta1', kind },
      resource: { group, version: 'v1beta1', resource: plural },
      requestKind: { group, version: 'v1beta1', kind },
      userInfo: { username: 'alice' },
      operation: 'CREATE',
      object: null,
      oldObject: null,
      dryRun: false,
      ...more,
    },
  };
}

export function runReview(more: Json = {}): Json {
  const object = { metadata: { name: 'release' }, spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings' } };
  return reviewOf('clusterstagedupdateruns', 'ClusterStagedUpdateRun', { name: 'release', object, ...more });
}

export function approvalReview(more: Json = {}): Json {
  const metadata = { name: 'release-after-canary', generation: 2 };
  return reviewOf('clusterapprovalrequests', 'ClusterApprovalRequest', {
    name: metadata.name,
    operation: 'UPDATE',
    subResource: 'status',
    object: { metadata, status: { conditions: [{ type: 'Approved', status: 'True' }] } },
    oldObject: { metadata },
    ...more,
  });
}
