import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Five API servers with 200 writes under way each, which is their own limit of mutating requests, and HTTP/1.1 takes a
 * connection a write. An idle connection costs some 50 KiB of memory.
 */
const mostConnections = 1000;

/**
 * Requests of one connection that are under way at once. Whoever asks as HTTP clients do waits for each answer, Go's among
 * them; thousands that come in one piece would all be answered before anybody else's turn.
 */
const mostAtOnce = 10;

interface Connection {
  readonly socket: Socket;
  /** Requests that are not answered yet, and those of them that have arrived as a whole. */
  underWay: number;
  judged: number;
}

/**
 * Keeps the connections of a server within a bound. Where one too many comes, another goes: first what has never brought
 * a review that was answered, the oldest of them, so that whoever only holds connections takes them from himself; then
 * what has been idle for longest. What is being judged stays.
 */
export class Connections {
  // Both in the order in which they are to go.
  private readonly unproven = new Map<string, Connection>();
  private readonly proven = new Map<string, Connection>();

  constructor(private readonly most = mostConnections) {}

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.add(socket);
    });
  }

  /** Hands on the requests of whoever does not send too many at once. */
  watching(listener: RequestListener): RequestListener {
    return (request, response) => {
      if (request.socket.destroyed) return;
      if (this.note(request, response) > mostAtOnce) request.socket.destroy();
      else listener(request, response);
    };
  }

  private add(socket: Socket): void {
    const name = nameOf(socket);
    if (this.unproven.size + this.proven.size >= this.most) {
      const victim = this.victim() ?? socket;
      victim.destroy();
      this.forget(nameOf(victim));
      if (victim === socket) return;
    }
    this.unproven.set(name, { socket, underWay: 0, judged: 0 });
    socket.once('close', () => {
      if (this.find(name)?.socket === socket) this.forget(name);
    });
  }

  private victim(): Socket | undefined {
    const waiting = (one: Connection): boolean => one.judged === 0;
    const idle = (one: Connection): boolean => one.underWay === 0;
    const found = firstOf(this.unproven, waiting) ?? firstOf(this.proven, idle) ?? firstOf(this.proven, waiting);
    return found?.socket;
  }

  /** How many requests of this connection are under way. */
  private note(request: IncomingMessage, response: ServerResponse): number {
    const name = nameOf(request.socket);
    const connection = this.find(name);
    if (connection === undefined) return 0;
    let isWhole = false;
    connection.underWay += 1;
    request.once('end', () => {
      isWhole = true;
      connection.judged += 1;
    });
    response.once('close', () => {
      connection.underWay -= 1;
      if (isWhole) connection.judged -= 1;
      // A verdict is the only thing that is answered with 200 to a POST.
      const isVerdict = request.method === 'POST' && response.statusCode === 200 && response.writableFinished;
      if (this.find(name) === connection) this.use(name, connection, isVerdict);
    });
    return connection.underWay;
  }

  /** Whatever is proven goes to the end of its line each time it is used. */
  private use(name: string, connection: Connection, isVerdict: boolean): void {
    if (!isVerdict && !this.proven.has(name)) return;
    this.forget(name);
    this.proven.set(name, connection);
  }

  private find(name: string): Connection | undefined {
    return this.proven.get(name) ?? this.unproven.get(name);
  }

  private forget(name: string): void {
    this.proven.delete(name);
    this.unproven.delete(name);
  }
}

/** The two ends of a connection that is open are those of no other. TLS wraps the socket, but not its address. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${String(remotePort)}`;
}

function firstOf(connections: ReadonlyMap<string, Connection>, is: (one: Connection) => boolean) {
  for (const connection of connections.values()) if (is(connection)) return connection;
  return undefined;
}
