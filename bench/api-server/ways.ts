import { modesAsShipped } from '../../src/engine/policy.js';
import { readFileSync } from 'node:fs';
import { floorObjects, type FloorSettings } from '../../src/floor/objects.js';
import { floorPolicies } from '../../src/floor/policy.js';
import { catalogue } from '../../src/rules/index.js';
import type { Api, Json } from '../../test/e2e/harness/api.js';
import { eventually } from '../../test/e2e/harness/eventually.js';
import { expectStored } from '../../test/e2e/harness/hub.js';
import { headOf, pathOf } from '../../test/e2e/harness/paths.js';
import { pathOfKind } from '../../test/e2e/floor/installed.js';

/** What an object meets on its way into the store, by its label: nobody has to be switched on or off between writes. */
export const ways = ['nothing', 'policies', 'controller-runtime', 'the guard'] as const;
export type Way = (typeof ways)[number];

const wayLabel = 'bench/way';

export function labelled(way: Way): Readonly<Record<string, string>> {
  return { [wayLabel]: way.replaceAll(' ', '-') };
}

const selectorOf = (way: Way): Json => ({ matchLabels: labelled(way) });

const settings: FloorSettings = {
  prefix: 'bench',
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: 'auto' },
  guard: undefined,
  modes: modesAsShipped,
};

/** The policies of the floor, for objects of their label. */
export async function installPolicies(admin: Api): Promise<void> {
  for (const object of floorObjects(floorPolicies(catalogue), settings)) {
    const { matchConstraints } = object.spec as { matchConstraints?: Json };
    const selected = { ...matchConstraints, objectSelector: selectorOf('policies') };
    const spec = matchConstraints === undefined ? object.spec : { ...object.spec, matchConstraints: selected };
    expectStored(await admin.create(pathOfKind[object.kind], { ...object, spec }));
  }
  await untilAsked(admin, 'policies');
}

const configurations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map(
  (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}`,
);

interface Webhook {
  readonly clientConfig: { readonly url: string };
}

/**
 * The webhooks of the guard, for objects of its label; and once more, hook by hook and condition by condition, with another
 * webhook behind them for those of another label.
 */
export async function divideWebhooks(
  admin: Api,
  other: { readonly url: string; readonly certificate: string } | undefined,
): Promise<void> {
  for (const path of configurations) {
    const { body } = await admin.get(`${path}/stageguard`);
    const webhooks = body['webhooks'] as readonly (Webhook & Json)[];
    const own = webhooks.map((webhook) => ({ ...webhook, objectSelector: selectorOf('the guard') }));
    expectStored(await admin.replace(`${path}/stageguard`, { ...body, webhooks: own }));
    if (other === undefined) continue;
    const caBundle = readFileSync(other.certificate).toString('base64');
    const copies = webhooks.map((webhook) => {
      const url = `${new URL(other.url).origin}${new URL(webhook.clientConfig.url).pathname}`;
      return { ...webhook, objectSelector: selectorOf('controller-runtime'), clientConfig: { url, caBundle } };
    });
    const { apiVersion, kind } = body;
    expectStored(await admin.create(path, { apiVersion, kind, metadata: { name: 'other' }, webhooks: copies }));
  }
  await untilAsked(admin, 'the guard');
  await eventually('nobody else is asked', async () => !(await isRefused(admin, 'nothing')) || undefined);
}

function untilAsked(admin: Api, way: Way): Promise<true> {
  return eventually(`${way} in force`, async () => (await isRefused(admin, way)) || undefined);
}

/** A strategy that has no stage. */
async function isRefused(admin: Api, way: Way): Promise<boolean> {
  const probe = {
    ...headOf('UpdateStrategy', undefined),
    metadata: { name: 'probe', labels: labelled(way) },
    spec: { stages: [] },
  };
  return (await admin.create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, probe)).status === 403;
}
