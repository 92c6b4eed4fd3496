import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { describe } from '../errors.js';
import { fieldOf, isObject } from '../fleet/json.js';
import { serviceAccountOf, type ServiceAccountName } from '../fleet/service-account.js';
import { silentLog, type Log } from '../log.js';
import type { ArmingNames } from './arming-access.js';
import { HubError, type HubCalls } from './hub.js';
import { mayAnswer } from './is-armed.js';

export interface ArmingParts {
  readonly hub: HubCalls;
  readonly names: ArmingNames;
  /** Whether the API server would trust the guard's certificate, by the caBundle and the `clientConfig` of a webhook. */
  readonly isTrusted: (caBundle: string, client: unknown) => Promise<boolean>;
  readonly clock?: Clock;
  readonly log?: Log;
}

const retryMilliseconds = 2_000;
const recheckMilliseconds = 30_000;
/** An uninstall takes the binding away, and the Deployment seconds later: in between, it must not come back. */
const putBackMilliseconds = 10_000;
/** As for a CA before it signs: API servers hear of each other's writes late, and must have the caBundle before they ask. */
const settleMilliseconds = 5_000;
/** A pod that ends has little time, and other things to do in it. */
export const leaveMilliseconds = 3_000;

const notInForce = 'the webhooks are not in force';
/** Another replica was faster; or the guard's account and its rights have gone already, as with their namespace. */
const goneStatuses: readonly number[] = [401, 403, 404];

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const configurations = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'].map(
  (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}`,
);

/**
 * Puts the webhooks in force, by binding the Role that they ask about to the guard's own account: once the Deployment is
 * available and every webhook trusts the guard's certificate, so that no write ever waits for a guard that is not there.
 * The binding is owned by the Deployment, and garbage collection takes it along. What that comes too late for is seen to
 * by `leave`.
 */
export class Arming extends Background {
  private said = '';
  private wasBound = false;
  /** Since when nothing is missing, by a clock that does not jump. */
  private completeSince: number | undefined;

  constructor(private readonly parts: ArmingParts) {
    super(parts.clock);
  }

  /** Ends it; where the guard goes for good, the webhooks go out of force first. Returns whether it does. */
  async leave(): Promise<boolean> {
    await this.stop();
    const { hub, log = silentLog } = this.parts;
    const signal = AbortSignal.timeout(leaveMilliseconds);
    try {
      const why = await this.whyGone(signal);
      if (why === undefined) return false;
      await hub.call({ path: this.bindingPath, method: 'DELETE', signal });
      log.info({ because: why }, 'the webhooks are out of force');
      return true;
    } catch (error) {
      if (error instanceof HubError && goneStatuses.includes(error.status)) return true;
      log.warn({ error: describe(error) }, 'could not see whether the guard goes for good');
      return false;
    }
  }

  protected async turn(signal: AbortSignal): Promise<number> {
    try {
      return await this.arm(signal);
    } catch (error) {
      if (!signal.aborted) this.say('warn', 'the webhooks cannot be put in force', describe(error));
      return retryMilliseconds;
    }
  }

  /** Returns after how many milliseconds to look again. */
  private async arm(signal: AbortSignal): Promise<number> {
    const { hub, names } = this.parts;
    const deployment = await hub.call({ path: this.deploymentPath, signal });
    const uid = fieldOf(fieldOf(deployment, 'metadata'), 'uid');
    const bound = await this.read(this.bindingPath, signal);
    const account = await this.ownAccount(signal);
    // Of two accounts during a rollout, the webhooks ask about the one that stays.
    if ((accountNameIn(deployment) ?? account.name) !== account.name) return recheckMilliseconds;
    if (isOwnedBy(bound, uid) && isFor(bound, account)) return this.confirm(signal);
    if (this.wasBound) {
      this.wasBound = false;
      this.say('warn', notInForce, 'somebody took the binding away; it is put back in a moment unless the guard goes');
      return putBackMilliseconds;
    }
    const rest = await this.restUntilComplete(deployment, signal);
    if (rest > 0) return rest;
    // One of a Deployment that is gone, which garbage collection may not have come to yet, or of an account of before.
    if (bound !== undefined) await hub.call({ path: this.bindingPath, method: 'DELETE', signal });
    await this.bind({ apiVersion: 'apps/v1', kind: 'Deployment', name: names.deployment, uid }, account, signal);
    // The API server takes a moment to know of it.
    return retryMilliseconds;
  }

  /** After how many milliseconds to look again; 0 where nothing has been missing for long enough. */
  private async restUntilComplete(deployment: unknown, signal: AbortSignal): Promise<number> {
    const missing = goingOf(deployment) ?? availabilityOf(deployment) ?? (await this.distrust(signal));
    if (missing !== undefined) {
      this.completeSince = undefined;
      this.say('warn', notInForce, missing);
      return retryMilliseconds;
    }
    this.completeSince ??= this.clock.now();
    return Math.max(0, this.completeSince + settleMilliseconds - this.clock.now());
  }

  /** A binding alone does not put them in force: the Role that it binds may be missing, or empty. */
  private async confirm(signal: AbortSignal): Promise<number> {
    const { hub, names } = this.parts;
    this.wasBound = true;
    if (await mayAnswer(hub, names.namespace, signal)) {
      this.say('info', 'the webhooks are in force', `Role ${names.role} is bound to the guard`);
    } else {
      const why = `Role ${names.role} is bound to the guard, but it is missing or empty; is the brake pulled?`;
      this.say('warn', notInForce, why);
    }
    return recheckMilliseconds;
  }

  private async bind(owner: object, account: ServiceAccountName, signal: AbortSignal): Promise<void> {
    const { hub, names } = this.parts;
    const body = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: {
        name: names.role,
        namespace: names.namespace,
        labels: { 'app.kubernetes.io/managed-by': 'stageguard' },
        ownerReferences: [owner],
      },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: names.role },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    };
    try {
      await hub.call({ path: this.bindingsPath, method: 'POST', body, signal });
    } catch (error) {
      // Another replica was faster.
      if (!(error instanceof HubError && error.status === 409)) throw error;
    }
  }

  /** Under which account the API server knows this guard. */
  private async ownAccount(signal: AbortSignal): Promise<ServiceAccountName> {
    const answer = await this.parts.hub.call({
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      method: 'POST',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      signal,
    });
    const user = fieldOf(fieldOf(fieldOf(answer, 'status'), 'userInfo'), 'username');
    const account = serviceAccountOf(String(user));
    if (account === undefined) throw new Error(`${String(user)} is not a ServiceAccount`);
    return account;
  }

  /** A webhook that does not lead here with a caBundle that fits; undefined where all do. */
  private async distrust(signal: AbortSignal): Promise<string | undefined> {
    const { hub, names, isTrusted } = this.parts;
    for (const path of configurations) {
      const configuration = await hub.call({ path: `${path}/${names.deployment}`, signal });
      const webhooks = fieldOf(configuration, 'webhooks');
      for (const webhook of Array.isArray(webhooks) ? webhooks : []) {
        const name = String(fieldOf(webhook, 'name'));
        const client = fieldOf(webhook, 'clientConfig');
        const caBundle = fieldOf(client, 'caBundle');
        if (typeof caBundle !== 'string' || caBundle === '') return `${name} has no caBundle yet`;
        if (!(await isTrusted(caBundle, client))) return `the caBundle of ${name} does not fit the certificate`;
      }
    }
    return undefined;
  }

  /** Why no guard will be there any more; undefined for a restart. */
  private async whyGone(signal: AbortSignal): Promise<string | undefined> {
    const { namespace } = this.parts.names;
    const home = await this.read(`/api/v1/namespaces/${namespace}`, signal);
    if (home === undefined || goingOf(home) !== undefined) return 'the namespace is being deleted';
    const deployment = await this.read(this.deploymentPath, signal);
    if (deployment === undefined) return 'the Deployment is deleted';
    const isScaledDown = fieldOf(fieldOf(deployment, 'spec'), 'replicas') === 0;
    return goingOf(deployment) ?? (isScaledDown ? 'the Deployment is scaled to 0' : undefined);
  }

  private async read(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.parts.hub.call({ path, signal });
    } catch (error) {
      if (error instanceof HubError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Says a thing once, not every two seconds. */
  private say(level: 'info' | 'warn', message: string, because: string): void {
    if (this.said !== because) (this.parts.log ?? silentLog)[level]({ because }, message);
    this.said = because;
  }

  private get deploymentPath(): string {
    const { namespace, deployment } = this.parts.names;
    return `/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`;
  }

  private get bindingsPath(): string {
    return `${rbac}/namespaces/${this.parts.names.namespace}/rolebindings`;
  }

  private get bindingPath(): string {
    return `${this.bindingsPath}/${this.parts.names.role}`;
  }
}

function isOwnedBy(binding: unknown, uid: unknown): boolean {
  const owners = fieldOf(fieldOf(binding, 'metadata'), 'ownerReferences');
  // One without an owner was made by hand.
  return !Array.isArray(owners) || owners.some((owner) => isObject(owner) && owner['uid'] === uid);
}

function isFor(binding: unknown, { namespace, name }: ServiceAccountName): boolean {
  const subjects = fieldOf(binding, 'subjects');
  return (
    Array.isArray(subjects) &&
    subjects.some((subject) => fieldOf(subject, 'name') === name && fieldOf(subject, 'namespace') === namespace)
  );
}

function accountNameIn(deployment: unknown): unknown {
  return fieldOf(fieldOf(fieldOf(fieldOf(deployment, 'spec'), 'template'), 'spec'), 'serviceAccountName');
}

function goingOf(object: unknown): string | undefined {
  const isGoing = fieldOf(fieldOf(object, 'metadata'), 'deletionTimestamp') !== undefined;
  return isGoing ? `${String(fieldOf(object, 'kind'))} is being deleted` : undefined;
}

function availabilityOf(deployment: unknown): string | undefined {
  const available = fieldOf(fieldOf(deployment, 'status'), 'availableReplicas');
  return typeof available === 'number' && available > 0 ? undefined : 'no replica of the Deployment is available yet';
}
