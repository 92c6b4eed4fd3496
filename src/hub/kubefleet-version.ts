import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { describe } from '../errors.js';
import { fieldOf } from '../fleet/json.js';
import { isNewer, isTooOld, isVersion, main, newestRelease, unknownVersion } from '../fleet/versions.js';
import { kindIn } from '../fleet/kinds.js';
import { silentLog, type Log } from '../log.js';
import { groupPath, HubError, type HubCalls } from './hub.js';

/** What a hub shows of its version of KubeFleet. */
export interface FoundVersion {
  /** As the table of fleet/versions.ts takes it. */
  readonly version: string;
  readonly by: 'image' | 'definitions' | 'nothing';
  /** In words, for the log. */
  readonly because: string;
}

const recheckMilliseconds = 5 * 60_000;
const retryMilliseconds = 10_000;

/** An image is named by whoever installs the hub agent; a log line needs no more of it. */
const longestImage = 200;

/**
 * Finds out which KubeFleet a hub has: by the image of the hub agent, `NAMESPACE/NAME` of whose Deployment is given, and
 * where that may not be read or names no version, by the shape of the definitions. Fails where the hub does not answer.
 */
export async function findVersion(hub: HubCalls, deployment: string, signal: AbortSignal): Promise<FoundVersion> {
  const image = await imageOf(hub, deployment, signal);
  if (image.version !== undefined) return { version: image.version, by: 'image', because: image.because };
  const shape = await shapeOf(hub, signal);
  if (shape === undefined) return { version: unknownVersion, by: 'nothing', because: image.because };
  return { version: shape.version, by: 'definitions', because: `${image.because}; ${shape.because}` };
}

interface Clue {
  readonly version?: string;
  readonly because: string;
}

async function imageOf(hub: HubCalls, deployment: string, signal: AbortSignal): Promise<Clue> {
  const [namespace = '', name = ''] = deployment.split('/');
  if (name === '') return { because: 'no Deployment of the hub agent is named' };
  const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(name)}`;
  const found = await askFor(hub, path, signal);
  if (found.is !== 'found') {
    return { because: `Deployment ${deployment} ${found.is === 'missing' ? 'does not exist' : 'may not be read'}` };
  }
  const image = agentImageIn(found.json);
  if (image === undefined) return { because: `Deployment ${deployment} has no container of the hub agent` };
  const tag = tagOf(image);
  // A tag is moved at will: that it says "main" does not make it the main branch of today.
  const isRelease = tag !== main && isVersion(tag);
  const shown = image.slice(0, longestImage);
  if (!isRelease) return { because: `the image of Deployment ${deployment} names no version (${shown})` };
  return { version: tag, because: `Deployment ${deployment} runs ${shown}` };
}

/** KubeFleet's own chart calls the container hub-agent; others may have been put beside it. */
function agentImageIn(deployment: unknown): string | undefined {
  const pod = fieldOf(fieldOf(fieldOf(deployment, 'spec'), 'template'), 'spec');
  const containers: unknown = fieldOf(pod, 'containers');
  if (!Array.isArray(containers)) return undefined;
  const named: unknown = containers.find((container) => fieldOf(container, 'name') === 'hub-agent');
  const image = fieldOf(named ?? (containers.length === 1 ? containers[0] : undefined), 'image');
  return typeof image === 'string' ? image : undefined;
}

/** `registry:5000/hub-agent:v0.3.1@sha256:...` has the tag v0.3.1. */
function tagOf(image: string): string {
  const [named = ''] = image.split('@');
  const last = named.slice(named.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return colon < 0 ? '' : last.slice(colon + 1);
}

/** The pattern of waitTime in the definition of strategies, by the version that has it (kubefleet pull request 688). */
const waitTimePatterns: ReadonlyMap<unknown, Required<Clue>> = new Map([
  [
    '^0|([0-9]+(\\.[0-9]+)?(s|m|h))+$',
    { version: newestRelease, because: `the definition of strategies is that of ${newestRelease} and older` },
  ],
  [
    '^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$',
    { version: main, because: `the definition of strategies is newer than that of ${newestRelease}` },
  ],
]);

/** Everybody who may log in may read what the API server publishes of the definitions. */
async function shapeOf(hub: HubCalls, signal: AbortSignal): Promise<Required<Clue> | undefined> {
  const { group, kind } = kindIn('UpdateStrategy', undefined);
  const found = await askFor(hub, `/openapi/v3${groupPath(group)}`, signal);
  if (found.is !== 'found') return undefined;
  const schemas = fieldOf(fieldOf(found.json, 'components'), 'schemas');
  const names = Object.keys(typeof schemas === 'object' && schemas !== null ? schemas : {});
  const strategy = names.find((name) => name.endsWith(`.${kind}`));
  const steps = 'spec stages items afterStageTasks items waitTime'.split(' ');
  const waitTime = steps.reduce<unknown>(below, fieldOf(schemas, strategy ?? ''));
  return waitTimePatterns.get(fieldOf(waitTime, 'pattern'));
}

function below(schema: unknown, step: string): unknown {
  return step === 'items' ? fieldOf(schema, step) : fieldOf(fieldOf(schema, 'properties'), step);
}

type Answer =
  { readonly is: 'found'; readonly json: unknown } | { readonly is: 'missing' } | { readonly is: 'forbidden' };

async function askFor(hub: HubCalls, path: string, signal: AbortSignal): Promise<Answer> {
  try {
    return { is: 'found', json: await hub.call({ path, signal }) };
  } catch (error) {
    const status = error instanceof HubError ? error.status : undefined;
    if (status === 404) return { is: 'missing' };
    if (status === 403) return { is: 'forbidden' };
    throw error;
  }
}

export interface VersionWatchParts {
  readonly hub: HubCalls;
  /** The settings as they are now: a version or `auto`, and the Deployment of the hub agent. */
  readonly settings: () => { readonly version: string; readonly deployment: string };
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Keeps asking: a hub is upgraded while the guard runs. */
export class VersionWatch extends Background {
  private known: FoundVersion = { version: unknownVersion, by: 'nothing', because: 'not asked yet' };
  private told = '';

  constructor(private readonly parts: VersionWatchParts) {
    super(parts.clock);
  }

  /** What holds: the settings, else what the hub shows. */
  get current(): { readonly version: string; readonly by: FoundVersion['by'] | 'settings' } {
    const { version } = this.parts.settings();
    return version === unknownVersion ? this.known : { version, by: 'settings' };
  }

  /** An outage changes nothing in what was known before. */
  protected async turn(signal: AbortSignal): Promise<number> {
    const { hub, settings, log = silentLog } = this.parts;
    try {
      this.known = await findVersion(hub, settings().deployment, signal);
      this.tell(log);
      return recheckMilliseconds;
    } catch (error) {
      if (!signal.aborted) log.debug({ error: describe(error) }, 'could not ask about the version of KubeFleet');
      return retryMilliseconds;
    }
  }

  private tell(log: Log): void {
    const { version, by } = this.current;
    const fields = { version, by, hub: this.known.version, because: this.known.because };
    const text = JSON.stringify(fields);
    if (text === this.told) return;
    this.told = text;
    const [level, message] = tidings(version, by, this.known);
    log[level](fields, message);
  }
}

function tidings(version: string, by: string, hub: FoundVersion): readonly ['info' | 'warn', string] {
  if (by === 'settings' && hub.by === 'image' && hub.version !== version) {
    return ['warn', 'the settings name another version of KubeFleet than the hub shows'];
  }
  if (isTooOld(version)) return ['warn', 'this KubeFleet is older than those that the rules are made for'];
  if (isNewer(version)) return ['warn', 'this KubeFleet is newer than the guard knows: rules in flux there only warn'];
  if (version !== unknownVersion) return ['info', 'the version of KubeFleet is known'];
  return ['info', `the version of KubeFleet is not known: it is taken to be newer than ${newestRelease}`];
}
