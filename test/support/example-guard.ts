import { plansOf } from '../../src/guard/serving/fleet-plans.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { createStandalone } from '../../src/http/standalone.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetOf } from '../../src/sources/manifests/objects.js';
import { readManifests } from '../../src/sources/manifests/read.js';
import { storedIn } from '../../src/sources/manifests/watch.js';
import { now } from './captured-io.js';
import { startGuard, type TestGuard } from './guard.js';

/** A guard on the example fleet, at the moment at which the command line tests happen as well. */
export async function startExampleGuard(): Promise<TestGuard & { readonly url: string }> {
  const { documents } = await readManifests(['examples/fleet']);
  const { fleet } = fleetOf(documents, 'complete');
  const policy = defaultPolicy;
  const guard = await startGuard({
    judge: (change) => evaluate(change, { rules: catalogue, fleet, policy, now }),
    now: () => now,
    pages: createStandalone({
      page: () => ({ fleet, rules: catalogue, policy, decisions: [], plans: plansOf(fleet, policy.kubefleet.version) }),
      stored: (where) => storedIn(documents, where),
    }),
  });
  return { ...guard, url: `https://127.0.0.1:${String(guard.listening.port)}` };
}
