import { Claims } from '../../claims/claim.js';
import { MemoryStore } from '../../claims/memory-store.js';
import { SeenRuns } from '../../claims/seen-runs.js';
import { policyOf, settingsHash, type Settings } from '../../config/config.js';
import { evaluate } from '../../engine/evaluate.js';
import type { Policy } from '../../engine/policy.js';
import type { FleetState } from '../../fleet/state.js';
import { defaultLimits } from '../../http/review-load.js';
import { createExemptingJudge, exemptingBy } from '../exempting.js';
import { claimConcurrency, createClaimingJudge } from '../claiming.js';
import type { Judge } from '../judge.js';
import { withDiagnosis } from '../with-diagnosis.js';
import { RecentDecisions } from '../../http/decision-record.js';
import { createMetrics } from '../../http/metrics.js';
import { createSettling } from '../settling.js';
import { createStandalone } from '../../http/standalone.js';
import type { Log } from '../../log.js';
import { catalogue } from '../../rules/index.js';
import { storedIn, watchFleet } from '../../sources/manifests/watch.js';
import { plansOf } from './fleet-plans.js';
import { listenGuard, type ListenOptions, type RunningGuard } from './listening-guard.js';

export interface StandaloneOptions extends Omit<ListenOptions, 'host'> {
  readonly fleet: string;
  readonly settings: Settings;
  readonly host?: string;
  readonly log: Log;
}

/** Puts together a guard that knows its fleet from manifests. */
export async function startStandalone(options: StandaloneOptions): Promise<RunningGuard> {
  const { settings, log, host = '127.0.0.1' } = options;
  const policy = () => policyOf(settings.current());
  const source = await watchFleet(options.fleet, { log });
  const settling = createSettling({ now: () => performance.now() });
  const metrics = createMetrics({ isConfigCurrent: () => settings.isCurrent(), rules: catalogue.map(({ id }) => id) });
  const decisions = new RecentDecisions();
  const guard = await listenGuard(
    {
      judge: createExemptingJudge({
        judge: claimingIn(
          () => source.current().fleet,
          { policy, log },
          (change, { exempt }) => {
            const world = { rules: catalogue, fleet: source.current().fleet, policy: policy(), now: Date.now() };
            const verdict = evaluate(change, { ...world, exempt, settlingFor: (what) => settling.secondsOf(what) });
            return withDiagnosis(verdict, change, world);
          },
        ),
        may: undefined,
        ...exemptingBy(settings),
      }),
      policy,
      now: () => Date.now(),
      missing: () => [],
      onDecision: (record) => {
        decisions.add(record);
      },
      pages: createStandalone({
        page: () => ({
          fleet: source.current().fleet,
          rules: catalogue,
          policy: policy(),
          decisions: decisions.list(),
          plans: plansOf(source.current().fleet, policy().kubefleet.version),
        }),
        stored: (where) => storedIn(source.current().documents, where),
      }),
      settings: () => settingsHash(settings.current()),
      limits: () => ({ ...defaultLimits, ...settings.current().limits }),
      footer: () => settings.current().message.footer,
      log,
      metrics,
    },
    { ...options, host },
  );
  return {
    url: guard.url,
    async stop() {
      source.stop();
      await guard.stop();
    },
  };
}

/**
 * The same steps as beside a hub. What is admitted here is never stored, so there is nothing to wait for: a claim settles
 * at once, and the next run that is tried gets the placement.
 */
function claimingIn(
  fleet: () => FleetState,
  { policy, log }: { readonly policy: () => Policy; readonly log: Log },
  judge: Judge,
): Judge {
  const claims = new Claims({
    store: new MemoryStore(() => performance.now()),
    seen: new SeenRuns(),
    readRun: (key) => Promise.resolve(fleet().get('UpdateRun', key)),
    knownRun: (key) => fleet().get('UpdateRun', key),
    settings: () => ({
      settleSeconds: 0,
      concurrency: claimConcurrency(policy()),
    }),
  });
  return createClaimingJudge({
    judge,
    claims,
    policy,
    whenUnavailable: () => 'retry',
    elapsed: () => performance.now(),
    log,
  });
}
