import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Agent, request } from 'undici';

/** Plays a Service: connections go to backends that are ready, and those that are open stay where they are. */
export interface ServiceProxy {
  readonly port: number;
  /** How many backends are ready. */
  ready(): number;
  isReady(port: number): boolean;
  add(port: number): void;
  /** Nothing goes there until it is ready again. */
  down(port: number): void;
  stop(): Promise<void>;
}

/** As often as a kubelet may ask, and as late as it takes until everyone has heard. */
const probeMilliseconds = 500;

export async function startServiceProxy(): Promise<ServiceProxy> {
  const backends = new Map<number, boolean>();
  const open = new Set<Socket>();
  // Kubelets do not verify either.
  const agent = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 });
  let turn = 0;
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
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const probe = setInterval(() => {
    for (const port of backends.keys()) void isReady(port, agent).then((now) => backends.set(port, now));
  }, probeMilliseconds);
  return {
    port: (server.address() as AddressInfo).port,
    ready: () => [...backends.values()].filter(Boolean).length,
    isReady: (port) => backends.get(port) === true,
    add: (port) => void backends.set(port, false),
    down: (port) => void backends.set(port, false),
    async stop() {
      clearInterval(probe);
      for (const socket of open) socket.destroy();
      server.close();
      await agent.destroy();
    },
  };
}

async function isReady(port: number, agent: Agent): Promise<boolean> {
  try {
    const answer = await request(`https://127.0.0.1:${port}/readyz`, { dispatcher: agent, headersTimeout: 5000 });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}
