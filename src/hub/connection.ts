import type { AgentOptions, RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici';
import { describe, GuardError } from '../errors.js';
import { checkPlainFile } from '../plain-file.js';
import { parseJson } from '../fleet/json.js';
import { HubError, type Call, type Hub, type ListEnd } from './hub.js';
import { takeItems } from './list-items.js';
import { withoutUnread } from './unread-parts.js';
import { parseLines } from './ndjson.js';
import { useTokenFile } from './token-file.js';

/** Where the hub is: a kubeconfig file, the files a pod finds, or what kubectl would take. */
export type HubAddress =
  { readonly kubeconfig: string; readonly context?: string } | { readonly context: string } | 'in-cluster' | 'default';

/** Below the 90 s after which the API server closes an idle connection, so that we are the first to do so. */
const keepAliveMilliseconds = 45_000;

/** Reads beyond this wait for each other; watches have connections of their own. */
const mostReads = 32;

/** A watch may be silent for a minute between bookmarks; the reflector's watchdog decides, not the socket. */
const noTimeout = 0;

/** Tokens and certificates are read anew after a 401, but not more often than this. */
const reloadMilliseconds = 5_000;

/** The token of a file is renewed long before it ends (kubelet: at four fifths of its life); client-go reads it as often. */
const tokenFileMilliseconds = 60_000;

/** TLS options as undici declares them; client-node declares the same by Node's own names. */
type TlsOptions = NonNullable<ProxyAgent.Options['requestTls']>;

/** Two pools with the same credentials. */
interface Pools {
  readonly fingerprint: string;
  readonly reads: Dispatcher;
  readonly watches: Dispatcher;
}

/** The one place that knows how to reach a cluster: addresses, credentials and connections. */
export class Connection implements Hub {
  private loaded: Loaded;
  private loadedAt: number;
  private pools: Pools | undefined;

  constructor(
    private readonly address: HubAddress,
    private readonly now = () => performance.now(),
  ) {
    this.loaded = load(address);
    this.loadedAt = now();
  }

  private get config(): KubeConfig {
    return this.loaded.config;
  }

  get server(): string {
    return withoutCredentials(this.config.getCurrentCluster()?.server ?? '');
  }

  /** The namespace of the pod, or of the context of the kubeconfig. */
  get namespace(): string | undefined {
    return this.config.getContextObject(this.config.getCurrentContext())?.namespace || undefined;
  }

  async call(call: Call): Promise<unknown> {
    const answer = await this.sendTwice(call);
    const text = await answer.body.text();
    const body = parseJson(withoutUnread(text));
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      if (body === undefined) throw new HubError(0, 'the API server sent an answer that is no JSON');
      return body;
    }
    throw HubError.from(answer.statusCode, body, retryAfter(answer));
  }

  async list(call: Call, take: (item: unknown) => void): Promise<ListEnd> {
    const answer = await this.sendTwice(call);
    if (answer.statusCode === 200) return takeItems(answer.body, take);
    throw HubError.from(answer.statusCode, parseJson(await answer.body.text()), retryAfter(answer));
  }

  async stream(call: Call): Promise<AsyncIterable<unknown>> {
    const answer = await this.send(call, 'watches');
    if (answer.statusCode === 200) return parseLines(answer.body);
    throw HubError.from(answer.statusCode, parseJson(await answer.body.text()), retryAfter(answer));
  }

  /** Ends every connection, whatever is under way on it. */
  async close(): Promise<void> {
    const { pools } = this;
    this.pools = undefined;
    await Promise.all([pools?.reads.destroy(), pools?.watches.destroy()]);
  }

  /** A kept connection may have been closed under us; a GET can simply be sent again. */
  private async sendTwice(call: Call): Promise<Dispatcher.ResponseData> {
    try {
      return await this.send(call, 'reads');
    } catch (error) {
      const isLost = error instanceof Error && 'code' in error && error.code === 'UND_ERR_SOCKET';
      if (!isLost || (call.method ?? 'GET') !== 'GET' || call.signal?.aborted === true) throw error;
      return this.send(call, 'reads');
    }
  }

  private async send(call: Call, pool: 'reads' | 'watches'): Promise<Dispatcher.ResponseData> {
    const { headers, dispatcher } = await this.authorized(pool);
    const answer = await request(new URL(this.server.replace(/\/$/, '') + call.path), {
      method: call.method ?? 'GET',
      dispatcher,
      headers: {
        ...headers,
        accept: call.accept ?? 'application/json',
        'user-agent': 'stageguard',
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(call.signal && { signal: call.signal }),
      ...(pool === 'watches' && { bodyTimeout: noTimeout }),
    });
    if (answer.statusCode === 401) this.reload();
    return answer;
  }

  /** The headers of this moment (tokens rotate), and a pool with the certificates of this moment. */
  private async authorized(
    pool: 'reads' | 'watches',
  ): Promise<{ headers: Record<string, string>; dispatcher: Dispatcher }> {
    if (this.loaded.hasTokenFile && this.now() - this.loadedAt >= tokenFileMilliseconds) this.reload();
    const options: RequestOptions = {};
    await this.config.applyToHTTPSOptions(options);
    const basic = options.auth ?? undefined;
    const headers = {
      ...(options.headers as Record<string, string> | undefined),
      ...(basic !== undefined && { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    };
    return { headers, dispatcher: this.poolsFor(options)[pool] };
  }

  private poolsFor(options: RequestOptions): Pools {
    const { ca, cert, key, servername, rejectUnauthorized } = options;
    const fingerprint = JSON.stringify([ca, cert, key, servername, rejectUnauthorized].map(String));
    if (this.pools?.fingerprint === fingerprint) return this.pools;
    const old = this.pools;
    this.pools = { fingerprint, reads: this.pool(options, mostReads), watches: this.pool(options, null) };
    // What is under way on the old connections may end in peace.
    void old?.reads.close();
    void old?.watches.close();
    return this.pools;
  }

  private pool(options: RequestOptions, connections: number | null): Dispatcher {
    const wanted = this.config.createDispatcherOptions(this.config.getCurrentCluster(), options as AgentOptions);
    const settings = { connections, keepAliveTimeout: keepAliveMilliseconds };
    switch (wanted.type) {
      case 'socks':
        throw new GuardError('CLUSTER_UNREACHABLE', 'the kubeconfig asks for a SOCKS proxy, which is not supported');
      case 'proxy':
        return new ProxyAgent({ ...settings, uri: wanted.uri, requestTls: wanted.requestTls as TlsOptions });
      case 'agent':
        return new Agent({ ...settings, connect: wanted.connect as TlsOptions });
      case 'none':
        return new Agent(settings);
    }
  }

  /** Credentials that were refused are not kept: token files and exec plugins are asked again. */
  private reload(): void {
    const now = this.now();
    if (now - this.loadedAt < reloadMilliseconds) return;
    this.loadedAt = now;
    try {
      this.loaded = load(this.address);
    } catch {
      // The file is being written at this moment, or is gone; what was read before is as good as nothing.
    }
  }
}

interface Loaded {
  readonly config: KubeConfig;
  readonly hasTokenFile: boolean;
}

function load(address: HubAddress): Loaded {
  const config = new KubeConfig();
  let hasTokenFile = false;
  try {
    if (address === 'in-cluster') config.loadFromCluster();
    else if (address === 'default') config.loadFromDefault();
    else if (!('kubeconfig' in address)) {
      config.loadFromDefault();
      config.setCurrentContext(address.context);
    } else {
      checkPlainFile(address.kubeconfig);
      config.loadFromFile(address.kubeconfig);
      if (address.context !== undefined) config.setCurrentContext(address.context);
      hasTokenFile = useTokenFile(config, address.kubeconfig);
    }
  } catch (error) {
    // What cannot be parsed is shown by the parser, line by line; a token may stand in it.
    const [reason = ''] = describe(error).split('\n');
    throw new GuardError('CONFIG_UNREADABLE', `cannot read the kubeconfig: ${reason}`);
  }
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server)) {
    throw new GuardError('CONFIG_INVALID', 'the kubeconfig names no cluster with a usable server address');
  }
  return { config, hasTokenFile };
}

/** The address is told in messages; requests go without what stands before an @ in any case. */
function withoutCredentials(server: string): string {
  if (!server.includes('@')) return server;
  const url = new URL(server);
  [url.username, url.password] = ['', ''];
  return url.href;
}

function retryAfter({ headers }: Dispatcher.ResponseData): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}
