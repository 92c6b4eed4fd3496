import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between an API server and its etcd: reads and writes go through at once, what watches tell comes late. */
export interface LaggingEtcd {
  readonly port: number;
  /** By so much; for whatever comes from now on. */
  milliseconds: number;
  /** Of which keys the news is late, by what they contain. */
  late: RegExp;
  /** How many pieces of news were late so far. */
  readonly delayed: number;
  stop(): void;
}

export async function startLaggingEtcd(etcdPort: number): Promise<LaggingEtcd> {
  const open = new Set<Socket>();
  const lag = { milliseconds: 0, late: /./, delayed: 0 };
  const server = createServer((client) => {
    const etcd = connect(etcdPort, '127.0.0.1');
    for (const [one, other] of [
      [client, etcd],
      [etcd, client],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
    const watches = new Watches();
    client.on('data', (chunk: Buffer) => {
      watches.hear(chunk);
      etcd.write(chunk);
    });
    const late = new LateFrames(client, (stream) => {
      const key = watches.keyOf(stream);
      if (key === undefined || !lag.late.test(key) || lag.milliseconds === 0) return 0;
      lag.delayed += 1;
      return lag.milliseconds;
    });
    etcd.on('data', (chunk: Buffer) => {
      late.pass(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(lag, {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  });
}

const headLength = 9;
const frameTypes = { data: 0, headers: 1, rstStream: 3 };

interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
  readonly whole: Buffer;
}

/** Takes a connection of HTTP/2 apart (RFC 9113, section 4.1). */
class Frames {
  private rest = Buffer.alloc(0);

  /** `skip`: what stands before the first frame. */
  constructor(private skip = 0) {}

  *in(chunk: Buffer): Generator<Frame> {
    this.rest = Buffer.concat([this.rest, chunk]);
    if (this.rest.length < this.skip) return;
    this.rest = this.rest.subarray(this.skip);
    this.skip = 0;
    while (this.rest.length >= headLength) {
      const end = headLength + this.rest.readUIntBE(0, 3);
      if (this.rest.length < end) return;
      const whole = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      const stream = whole.readUInt32BE(5) & 0x7fff_ffff;
      yield { type: whole.readUInt8(3), stream, payload: whole.subarray(headLength), whole };
    }
  }
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;

/** Which streams are watches, and of what: by the first thing that the API server says in each. */
class Watches {
  private readonly frames = new Frames(preface);
  private readonly keys = new Map<number, string>();
  private readonly others = new Set<number>();

  keyOf(stream: number): string | undefined {
    return this.keys.get(stream);
  }

  hear(chunk: Buffer): void {
    for (const { type, stream, payload } of this.frames.in(chunk)) {
      if (type !== frameTypes.data || payload.length === 0) continue;
      if (this.keys.has(stream) || this.others.has(stream)) continue;
      const key = watchedKey(payload);
      if (key === undefined) this.others.add(stream);
      else this.keys.set(stream, key);
    }
  }
}

/**
 * etcd rpc.proto: a WatchRequest holds a WatchCreateRequest as field 1, whose field 1 is the key; a read has its key as
 * field 1 itself. Before it stand the five bytes of gRPC.
 */
function watchedKey(payload: Buffer): string | undefined {
  const text = payload.subarray(5).toString('latin1');
  return /^\n[^\n]{1,3}\n[^/]{1,3}(\/registry\/[\x20-\x7e]*)/s.exec(text)?.[1];
}

/** Passes frames on, some of them later; within a stream they keep their order. */
class LateFrames {
  private readonly frames = new Frames();
  private readonly waiting = new Map<number, Buffer[]>();

  constructor(
    private readonly to: Socket,
    private readonly lagOf: (stream: number) => number,
  ) {}

  pass(chunk: Buffer): void {
    for (const frame of this.frames.in(chunk)) {
      if (frame.type === frameTypes.data) this.passData(frame);
      else {
        // Headers must come in the order of the connection, since they are compressed in it; these end their stream.
        if (frame.type === frameTypes.headers || frame.type === frameTypes.rstStream) this.flush(frame.stream);
        this.to.write(frame.whole);
      }
    }
  }

  private passData({ stream, whole }: Frame): void {
    const lag = this.lagOf(stream);
    const queue = this.waiting.get(stream) ?? [];
    if (lag === 0 && queue.length === 0) return void this.to.write(whole);
    this.waiting.set(stream, queue);
    queue.push(whole);
    setTimeout(() => {
      if (this.waiting.get(stream)?.includes(whole) === true) this.send(stream, queue.indexOf(whole) + 1);
    }, lag).unref();
  }

  private send(stream: number, count: number): void {
    for (const whole of this.waiting.get(stream)?.splice(0, count) ?? []) if (this.to.writable) this.to.write(whole);
  }

  private flush(stream: number): void {
    this.send(stream, Infinity);
    this.waiting.delete(stream);
  }
}
