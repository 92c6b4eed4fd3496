import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Agent, request } from 'undici';

/** Plays a Service: connections go to backends that are ready, and those that are open stay where they are. */
export interface ServiceProxy {
  readonly port: number;
  isReady(port: number): boolean;
  add(port: number): void;
  remove(port: number): void;
  stop(): Promise<void>;
}

/** As often as a kubelet may ask, and as late as it takes until everyone has heard. */
const probeMilliseconds = 500;

/** As in the chart: a guard that a busy machine has kept waiting once is not gone. */
const failureThreshold = 3;

type Condition = 'ready' | 'not ready' | 'no answer';

export async function startServiceProxy(): Promise<ServiceProxy> {
  const backends = new Map<number, boolean>();
  const unanswered = new Map<number, number>();
  const open = new Set<Socket>();
  // Kubelets do not verify either.
  const agent = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 });
  let turn = 0;
  const underWay = new Set<number>();
  const look = async (port: number): Promise<void> => {
    // One at a time: a guard that is slow once has not failed as often as it was asked meanwhile.
    if (underWay.has(port)) return;
    underWay.add(port);
    const condition = await conditionOf(port, agent);
    underWay.delete(port);
    const failures = condition === 'no answer' ? (unanswered.get(port) ?? 0) + 1 : 0;
    unanswered.set(port, failures);
    const isKnown = failures === 0 || failures >= failureThreshold;
    if (isKnown && backends.has(port)) backends.set(port, condition === 'ready');
  };
  const server = createServer((client) => {
    const ready = [...backends].filter(([, isReady]) => isReady).map(([port]) => port);
    const port = ready[turn++ % Math.max(1, ready.length)];
    if (port === undefined) return void client.destroy();
    const guard = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [client, guard],
      [guard, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        // What is on its way still arrives.
        other.end();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const probe = setInterval(() => {
    for (const port of backends.keys()) void look(port);
  }, probeMilliseconds);
  return {
    port: (server.address() as AddressInfo).port,
    isReady: (port) => backends.get(port) === true,
    add: (port) => void backends.set(port, false),
    remove: (port) => void backends.delete(port),
    async stop() {
      clearInterval(probe);
      for (const socket of open) socket.destroy();
      server.close();
      await agent.destroy();
    },
  };
}

async function conditionOf(port: number, agent: Agent): Promise<Condition> {
  try {
    const answer = await request(`https://127.0.0.1:${port}/readyz`, { dispatcher: agent, headersTimeout: 5000 });
    await answer.body.dump();
    return answer.statusCode === 200 ? 'ready' : 'not ready';
  } catch (error) {
    // Where nobody listens, a Service leads nobody for long.
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'not ready' : 'no answer';
  }
}
