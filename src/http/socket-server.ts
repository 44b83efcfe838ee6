/** Listens, and creates a {@link Connection} for each client's socket, over TLS if there is a certificate. */

import type { QueueStatistics } from '../base/admission.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { type GridError, gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { BufferBudget } from './buffer-budget.ts';
import { certificateSubject } from './certificates/certificate-subject.ts';
import { NameError } from './certificates/distinguished-name.ts';
import type { ClientAddresses } from './client-addresses.ts';
import type { ReplyCompression } from './compression/reply-compression.ts';
import { Connection, type Wire } from './connection.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { ConnectionCount } from './connection-count.ts';
import { DeferredReads } from './deferred-reads.ts';
import type { RequestHandler, Served } from './incoming-request.ts';
import { type ProxyHeader, parseProxyHeader, type SocketAddress } from './proxy-header.ts';
import type { ResponseBudget } from './replies/response-budget.ts';
import { RequestBuffers } from './request-buffers.ts';
import { RequestQueue } from './request-queue.ts';
import { ServerTicks, TICK_MS } from './server-ticks.ts';

export interface SocketServerOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly idleTimeoutSeconds: number;
  /** Seconds for which browsers use only HTTPS after a response over TLS; 0 to send no header. */
  readonly strictTransportSeconds: number;
  readonly handler: RequestHandler;
  /** Called when a trusted proxy began a connection without a valid PROXY protocol header. */
  readonly proxyRejected: (address: string, error: unknown) => void;
  readonly unexpected: (error: unknown) => GridError;
  readonly clients: ClientAddresses;
  /** Budget for the request bytes that all threads buffer. */
  readonly requestBudget: BufferBudget;
  /** Budget for unread response bytes of all threads. */
  readonly responses: ResponseBudget;
  readonly compression: ReplyCompression;
  /** Counts the connections of all threads. */
  readonly connections: ConnectionCount;
  readonly mayAnswer: (() => boolean) | undefined;
}

/** A client's request or connection, which lasts for a limited time. */
interface Timed {
  /** Ends a request or an idle connection that has exceeded its time. Called at every tick. */
  checkTime(): void;
  /** Closes when idle. A request that is being handled is answered first. */
  stop(): void;
  /** Closes immediately. */
  terminate(): void;
  /** Closes when idle, to make room for another client; returns whether it did. */
  closeIfIdle(): boolean;
}

/** A client connection, as listed. */
export interface ClientConnection {
  /** Counted from 1 within its thread. */
  readonly id: number;
  /** Address and port. */
  readonly local: string;
  readonly remote: string;
  readonly encrypted: boolean;
}

/** State of a socket. */
interface SocketData {
  timed: Timed | undefined;
  connection: Connection | undefined;
  /** The PROXY protocol header at the beginning of the socket's data. */
  proxyHeader?: {
    /** The part of it that has arrived. */
    received: Buffer;
    readonly sender: SocketAddress;
    readonly begin: BeginConnection;
  };
}

/** Begins a connection with the bytes that have arrived, from its sender or the client that a proxy reports. */
type BeginConnection = (bytes: Buffer, client: SocketAddress) => void;

type Socket = Bun.Socket<SocketData>;
/** Bun listens with `reusePort`; its types only have it for connecting. */
type ListenOptions = Bun.TCPSocketListenOptions<SocketData> & { readonly reusePort: boolean };

const NO_BYTES = Buffer.alloc(0);
/** Maximum number of connections beyond the limit that get a response saying so; the rest are closed without one. */
export const MAX_REJECTED_CONNECTIONS = 32;
/** Idle connections that are considered for closing when a new one arrives. */
const MAX_EVICTION_CANDIDATES = 1_024;
/** Time in which requests sent before a shutdown have arrived. */
const ON_THEIR_WAY_MS = 200;

/** The connections of all of a thread's listeners. */
export class SocketServer {
  readonly #options: SocketServerOptions;
  readonly #context: ConnectionContext;
  readonly #ticks: ServerTicks;
  readonly #queue: RequestQueue;
  readonly #timed = new Set<Timed>();
  /** Connections beyond the limit that are being answered. */
  readonly #rejectedConnections = new Set<Timed>();
  readonly #connections = new Map<Timed, ClientConnection>();
  #lastClient = 0;
  readonly #timer: Timer;
  #empty: (() => void) | undefined;

  constructor(options: SocketServerOptions, serves: Served) {
    const { limits, clock, handler } = options;
    this.#options = options;
    this.#ticks = new ServerTicks(clock, { ...options, bodyBytesPerSecond: limits.bodyBytesPerSecond });
    this.#queue = new RequestQueue(clock, limits.queueMs, handler, serves);
    this.#context = {
      ...options,
      queue: this.#queue,
      deferredReads: new DeferredReads(clock),
      ticks: this.#ticks,
      requestBuffers: new RequestBuffers(options.requestBudget, handler),
      headLimitBytes: limits.requestHeadBytes,
      bodyLimitBytes: limits.requestBodyBytes,
    };
    this.#timer = clock.every(TICK_MS, () => this.#passTick());
  }

  /** Returns the open connections. */
  connections(): ClientConnection[] {
    return [...this.#connections.values()];
  }

  /** The number of requests waiting to be handled. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Returns the statistics of requests that had to wait to be handled. */
  queueStatistics(): QueueStatistics {
    return this.#queue.statistics();
  }

  /** Listens. `certificate` returns the certificate for a new connection; without it, connections are not encrypted. */
  listen(
    hostname: string,
    port: number,
    reusePort: boolean,
    certificate: (() => Bun.TLSOptions) | undefined,
  ): Bun.TCPSocketListener<SocketData> {
    const handlers = this.#handlers();
    const plain: Bun.SocketHandler<SocketData> = {
      ...handlers,
      open: (socket) =>
        this.#open(socket, (bytes, client) => {
          const connection = this.#connect(socket, false, client);
          if (bytes.length > 0) connection.receive(bytes);
        }),
    };
    const encrypted = (present: () => Bun.TLSOptions): Bun.SocketHandler<SocketData> => ({
      open: (socket) =>
        this.#open(socket, (bytes, client) => this.#encrypt(socket, present(), handlers, bytes, client)),
      data: (socket, bytes) => this.#readProxyHeader(socket, bytes),
      close: (socket) => this.#forget(socket.data.timed),
    });
    const socket = certificate === undefined ? plain : encrypted(certificate);
    const options: ListenOptions = { hostname, port, reusePort, allowHalfOpen: true, socket };
    return Bun.listen<SocketData>(options);
  }

  /**
   * Closes idle connections soon and the others after their response; after `graceMs` all of them. Requests already on
   * their way are still read, and told that the service is stopping.
   */
  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    if (this.#timed.size > 0) {
      const emptied = new Promise<void>((resolve) => {
        this.#empty = resolve;
      });
      const idle = clock.after(Math.min(graceMs, ON_THEIR_WAY_MS), () => {
        for (const timed of this.#timed) timed.stop();
      });
      const force = clock.after(graceMs, () => {
        for (const timed of this.#timed) timed.terminate();
      });
      await emptied;
      idle.cancel();
      force.cancel();
    }
    this.#timer.cancel();
  }

  #passTick(): void {
    this.#ticks.pass();
    for (const timed of this.#timed) timed.checkTime();
    this.#options.responses.closeStalled();
  }

  #open(socket: Socket, begin: BeginConnection): void {
    socket.data = { timed: undefined, connection: undefined };
    const client = clientOf(socket);
    if (client === undefined) {
      socket.terminate();
      return;
    }
    const { limits, connections } = this.#options;
    const present = this.#timed.size - this.#rejectedConnections.size;
    if ((present < limits.connections && !connections.isFull) || this.#evict()) this.#accept(socket, client, begin);
    else if (this.#rejectedConnections.size < MAX_REJECTED_CONNECTIONS) {
      // The connection stays open until the client has read the reason.
      const connection = this.#connect(socket, false, client);
      this.#rejectedConnections.add(connection);
      connection.reject(gridError('OVERLOADED', present));
    } else socket.terminate();
  }

  /** Closes the oldest idle connection, so that clients that only hold connections do not lock others out. */
  #evict(): boolean {
    let looked = 0;
    for (const timed of this.#timed) {
      if (timed.closeIfIdle()) return true;
      if (++looked === MAX_EVICTION_CANDIDATES) break;
    }
    return false;
  }

  #count(timed: Timed): void {
    this.#timed.add(timed);
    this.#options.connections.open();
  }

  /** Begins a connection, after the header of a proxy that sends one. */
  #accept(socket: Socket, sender: SocketAddress, begin: BeginConnection): void {
    if (!this.#options.clients.expectsProxyHeader(sender.address)) {
      begin(NO_BYTES, sender);
      return;
    }
    const handshake = new Handshake(this.#ticks);
    handshake.sockets = [socket];
    this.#count(handshake);
    socket.data = { timed: handshake, connection: undefined, proxyHeader: { received: NO_BYTES, sender, begin } };
  }

  #readProxyHeader(socket: Socket, bytes: Buffer): void {
    const { proxyHeader, timed } = socket.data;
    if (proxyHeader === undefined) return;
    const received = Buffer.concat([proxyHeader.received, bytes]);
    let header: ProxyHeader | undefined;
    try {
      header = parseProxyHeader(received);
    } catch (error) {
      // Whatever follows cannot be trusted, so it gets no response.
      this.#options.handler.rejected();
      this.#options.proxyRejected(proxyHeader.sender.address, error);
      socket.terminate();
      return;
    }
    proxyHeader.received = received;
    if (header === undefined) return;
    proxyHeader.begin(received.subarray(header.bytes), header.client ?? proxyHeader.sender);
    this.#forget(timed);
  }

  #connect(socket: Socket, encrypted: boolean, client: SocketAddress): Connection {
    const connection = new Connection(wireOf(socket, encrypted, client), this.#context);
    socket.data = { timed: connection, connection };
    this.#count(connection);
    this.#connections.set(connection, {
      id: ++this.#lastClient,
      local: `${socket.localAddress}:${socket.localPort}`,
      remote: `${client.address}:${client.port}`,
      encrypted,
    });
    return connection;
  }

  /** Begins the TLS handshake with the `bytes` that have arrived. */
  #encrypt(
    socket: Socket,
    certificate: Bun.TLSOptions,
    handlers: Bun.SocketHandler<SocketData>,
    bytes: Buffer,
    client: SocketAddress,
  ): void {
    const handshake = new Handshake(this.#ticks);
    this.#count(handshake);
    socket.data = { timed: handshake, connection: undefined };
    const upgrade = {
      // Bun acts as the server, and reads these bytes first; its types do not declare either yet.
      isServer: true,
      initialData: bytes.length > 0 ? bytes : undefined,
      data: { timed: undefined, connection: undefined },
      tls: certificate,
      socket: {
        ...handlers,
        handshake: (encrypted: Socket, success: boolean) => {
          this.#forget(handshake);
          if (success) this.#connect(encrypted, true, client);
          else encrypted.terminate();
        },
      },
    };
    handshake.sockets = socket.upgradeTLS<SocketData>(upgrade);
  }

  #handlers(): Bun.SocketHandler<SocketData> {
    return {
      data: (socket, bytes) => {
        const { connection } = socket.data;
        if (connection === undefined) this.#readProxyHeader(socket, bytes);
        else connection.receive(bytes);
      },
      drain: (socket) => socket.data.connection?.drained(),
      end: (socket) => socket.data.connection?.halfClosed(),
      close: (socket) => {
        const { connection, timed } = socket.data ?? {};
        connection?.gone();
        this.#forget(timed);
      },
      error: (socket) => void socket.terminate(),
    };
  }

  #forget(timed: Timed | undefined): void {
    if (timed === undefined || !this.#timed.delete(timed)) return;
    this.#connections.delete(timed);
    this.#rejectedConnections.delete(timed);
    this.#options.connections.close();
    if (this.#timed.size === 0) this.#empty?.();
  }
}

/** A connection whose TLS handshake or proxy header is not complete. */
class Handshake implements Timed {
  readonly #ticks: ServerTicks;
  readonly #deadline: number;
  /** The underlying socket and the encrypted one. */
  sockets: readonly Socket[] = [];

  constructor(ticks: ServerTicks) {
    this.#ticks = ticks;
    this.#deadline = ticks.tick + ticks.headTicks;
  }

  checkTime(): void {
    if (this.#ticks.tick >= this.#deadline) this.terminate();
  }

  stop(): void {
    this.terminate();
  }

  closeIfIdle(): boolean {
    return false;
  }

  terminate(): void {
    for (const socket of this.sockets) socket.terminate();
  }
}

/** Returns the sender's address of a new connection, or undefined if it has already disconnected. */
function clientOf(socket: Socket): SocketAddress | undefined {
  // A socket whose sender has disconnected has no address, which Bun's types omit. So it is read once, at
  // the beginning.
  const address: string | undefined = socket.remoteAddress;
  return address === undefined ? undefined : { address, port: socket.remotePort };
}

function wireOf(socket: Socket, encrypted: boolean, client: SocketAddress): Wire {
  let subject: string | null | undefined;
  return {
    write: (data) => socket.write(data),
    writePart: (bytes, start, length) => socket.write(bytes, start, length),
    shutdown: () => void socket.shutdown(),
    end: () => void socket.end(),
    terminate: () => void socket.terminate(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    isEncrypted: encrypted,
    address: client.address,
    port: client.port,
    get certificateSubject() {
      if (subject === undefined) subject = (encrypted && subjectOf(socket)) || null;
      return subject ?? undefined;
    },
  };
}

/** Returns the canonical subject of a client certificate signed by an accepted authority. */
function subjectOf(socket: Socket): string | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  try {
    return certificate && certificateSubject(certificate);
  } catch (error) {
    // A certificate whose subject cannot be parsed identifies no user.
    if (error instanceof NameError) return undefined;
    throw error;
  }
}
