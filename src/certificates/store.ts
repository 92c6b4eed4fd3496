import { fieldOf } from '../fleet/json.js';
import { statusOf, type HubCalls } from '../hub/hub.js';
import { certificatesIn } from './certificate.js';
import type { Bundle, Configuration, Kept } from './decide.js';
import { readKept, secretOf, type SecretName } from './secret.js';
import { hostOf } from './webhook-host.js';

/** A configuration as it was read: it is written back only over what was read. */
export interface ReadConfiguration extends Configuration {
  readonly object: unknown;
}

export interface ReadSecret {
  readonly kept: Kept;
  readonly object: unknown;
}

const configurations = '/apis/admissionregistration.k8s.io/v1';
const plurals = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'] as const;

/** The guard's own configurations, of both kinds; one that is not there asks nothing. */
export async function readConfigurations(
  api: HubCalls,
  name: string,
  signal: AbortSignal,
): Promise<readonly ReadConfiguration[]> {
  const found = await Promise.all(
    plurals.map(async (plural) => {
      const id = `${configurations}/${plural}/${encodeURIComponent(name)}`;
      const object = await unlessMissing(api.call({ path: id, signal }));
      return object === undefined ? [] : [{ id, object, bundles: webhooksOf(object).map(bundleIn) }];
    }),
  );
  return found.flat();
}

function webhooksOf(configuration: unknown): readonly unknown[] {
  const webhooks = fieldOf(configuration, 'webhooks');
  return Array.isArray(webhooks) ? webhooks : [];
}

function bundleIn(webhook: unknown): Bundle {
  const client = fieldOf(webhook, 'clientConfig');
  const value = fieldOf(client, 'caBundle');
  const text = typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  const host = hostOf(client);
  return { text, certificates: certificatesIn(text), ...(host !== undefined && { host }) };
}

/** Where the replicas meet: one Secret, and the configurations. Writes tell whether they went through. */
export class CertificateStore {
  constructor(
    private readonly api: HubCalls,
    private readonly secret: SecretName,
    private readonly configuration: string | undefined,
  ) {}

  async configurations(signal: AbortSignal): Promise<readonly ReadConfiguration[]> {
    return this.configuration === undefined ? [] : readConfigurations(this.api, this.configuration, signal);
  }

  async read(signal: AbortSignal): Promise<ReadSecret | undefined> {
    const object = await unlessMissing(this.api.call({ path: this.path(), signal }));
    return object === undefined ? undefined : { kept: readKept(object), object };
  }

  /** Replaces what was read; creates the Secret where none was. */
  write(kept: Kept, before: ReadSecret | undefined, signal: AbortSignal): Promise<boolean> {
    const body = secretOf(this.secret, kept, before?.object);
    if (before !== undefined) return wentThrough(this.api.call({ path: this.path(), method: 'PUT', body, signal }));
    const path = this.path().slice(0, this.path().lastIndexOf('/'));
    return wentThrough(this.api.call({ path, method: 'POST', body, signal }));
  }

  inject(bundle: string, { id, object }: ReadConfiguration, signal: AbortSignal): Promise<boolean> {
    const caBundle = Buffer.from(bundle, 'utf8').toString('base64');
    const webhooks = webhooksOf(object).map((webhook) => {
      const fields = webhook as Readonly<Record<string, object>>;
      return { ...fields, clientConfig: { ...fields['clientConfig'], caBundle } };
    });
    const body = { ...(object as object), webhooks };
    return wentThrough(this.api.call({ path: id, method: 'PUT', body, signal }));
  }

  private path(): string {
    const { namespace, name } = this.secret;
    return `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  }
}

/** Whether nobody else was faster; where someone was, what is there is to be looked at again. */
async function wentThrough(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (statusOf(error) === 409) return false;
    throw error;
  }
}

async function unlessMissing(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
