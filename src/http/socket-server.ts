/** Listens, and creates a {@link Connection} for each client's socket, over TLS where there is a certificate. */

import type { QueueStatistics } from '../base/admission.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { fail, type GridError } from '../base/errors.ts';
import { HTTP_BOUNDS, type Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { SLICE_MS } from '../base/slices.ts';
import { networkTenant } from '../service/request.ts';
import { certificateSubject } from './certificates/certificate-subject.ts';
import { NameError } from './certificates/distinguished-name.ts';
import type { ClientAddresses } from './client-addresses.ts';
import type { ReplyCompression } from './compression/reply-compression.ts';
import { Connection } from './connection.ts';
import type { ConnectionCount } from './connection-count.ts';
import type {
  Budgets,
  ConnectionHost,
  HostedConnection,
  IncomingRequest,
  Peer,
  ReceivedHead,
  RequestHandler,
  Served,
  Timed,
  Wire,
} from './connection-host.ts';
import { CommonLines, SAFETY_HEADERS } from './connection-output.ts';
import { type HeaderBlock, NO_HEADERS } from './head/head.ts';
import { type ProxyHeader, parseProxyHeader, type SocketAddress } from './proxy-header.ts';
import type { Reply } from './reply.ts';
import { RequestQueue } from './request-queue.ts';

export interface SocketServerOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly idleTimeoutSeconds: number;
  /** Seconds for which browsers use only HTTPS after a response over TLS; 0: not stated. */
  readonly strictTransportSeconds: number;
  readonly handler: RequestHandler;
  /** Called when a trusted proxy began a connection without a valid header of the PROXY protocol. */
  readonly proxyRejected: (address: string, error: unknown) => void;
  readonly unexpected: (error: unknown) => GridError;
  readonly clients: ClientAddresses;
  readonly budgets: Budgets;
  readonly compression: ReplyCompression;
  /** Counts the connections of all threads. */
  readonly connections: ConnectionCount;
  readonly mayAnswer: (() => boolean) | undefined;
}

/** Returns the number of ticks in which at least `seconds` pass. The current tick has already begun. */
function ticksOf(seconds: number): number {
  return Math.ceil((seconds * 1_000) / TICK_MS) + 1;
}

/** A connection of a client, as it is listed. */
export interface ClientConnection {
  /** Counted from 1 in the thread that has it. */
  readonly id: number;
  /** Address and port. */
  readonly local: string;
  readonly remote: string;
  readonly encrypted: boolean;
}

/** What is known of a socket. */
interface SocketData {
  timed: Timed | undefined;
  connection: Connection | undefined;
  /** The header of the PROXY protocol that the socket begins with. */
  proxyHeader?: {
    /** What has arrived of it. */
    received: Buffer;
    readonly sender: SocketAddress;
    readonly begin: BeginConnection;
  };
}

/** Begins a connection with the bytes that have arrived, of its sender or the client that a proxy reports. */
type BeginConnection = (bytes: Buffer, client: SocketAddress) => void;

type Socket = Bun.Socket<SocketData>;
/** Bun listens with `reusePort`; its types have it for connecting alone. */
type ListenOptions = Bun.TCPSocketListenOptions<SocketData> & { readonly reusePort: boolean };

const NO_BYTES = Buffer.alloc(0);
/** Timeouts are seconds, and one check of all connections per second costs little. */
const TICK_MS = 1_000;
/** Connections beyond the limit that get an answer that says so; further ones are closed without an answer. */
export const MAX_REJECTED_CONNECTIONS = 32;
/** Idle connections that are considered for closing when a new one arrives. */
const MAX_EVICTION_CANDIDATES = 1_024;
/** Time in which requests that were sent before a stop are there. */
const ON_THEIR_WAY_MS = 200;

/** The connections of all listeners of a thread. */
export class SocketServer implements ConnectionHost {
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  readonly idleTicks: number;
  readonly headTicks: number;
  readonly bodyBytesPerTick: number;
  readonly clients: ClientAddresses;
  readonly handler: RequestHandler;
  readonly #options: SocketServerOptions;
  readonly #timed = new Set<Timed>();
  /** Connections beyond the limit that are being answered. */
  readonly #rejectedConnections = new Set<Timed>();
  readonly #connections = new Map<Timed, ClientConnection>();
  #lastClient = 0;
  readonly #queue: RequestQueue;
  /** Connections that read on in a later tick, in the order of {@link defer}. */
  #deferred: HostedConnection[] = [];
  #deferredScheduled = false;
  readonly #encryptedHeaders: string;
  readonly #timer: Timer;
  #empty: (() => void) | undefined;
  tick = 0;
  #lines: CommonLines;
  #encryptedLines: CommonLines;
  readonly #serves: Served;

  constructor(options: SocketServerOptions, serves: Served) {
    const { limits, clock, idleTimeoutSeconds, strictTransportSeconds } = options;
    this.#options = options;
    this.#queue = new RequestQueue(clock, limits.queueMs);
    this.handler = options.handler;
    this.#serves = serves;
    this.clients = options.clients;
    this.headLimitBytes = limits.requestHeadBytes;
    this.bodyLimitBytes = limits.requestBodyBytes;
    this.idleTicks = ticksOf(idleTimeoutSeconds);
    this.headTicks = ticksOf(Math.min(HTTP_BOUNDS.headSeconds, idleTimeoutSeconds));
    this.bodyBytesPerTick = (limits.bodyBytesPerSecond * TICK_MS) / 1_000;
    this.#encryptedHeaders =
      strictTransportSeconds === 0
        ? SAFETY_HEADERS
        : `${SAFETY_HEADERS}Strict-Transport-Security: max-age=${strictTransportSeconds}\r\n`;
    const date = new Date(clock.nowMs()).toUTCString();
    this.#lines = new CommonLines(SAFETY_HEADERS, date);
    this.#encryptedLines = new CommonLines(this.#encryptedHeaders, date);
    this.#timer = clock.every(TICK_MS, () => this.#passTick());
  }

  commonLines(isEncrypted: boolean): CommonLines {
    return isEncrypted ? this.#encryptedLines : this.#lines;
  }

  handle(request: IncomingRequest): MaybePromise<Reply> {
    return this.handler.handle(request, this.#serves);
  }

  compress(reply: Reply, { headers }: HeaderBlock): Reply {
    const { compression } = this.#options;
    const { body } = reply;
    if (typeof body === 'string' && body.length < compression.minCharacters) return reply;
    return compression.compress(reply, headers);
  }

  openBody(request: ReceivedHead, isAuthenticated: boolean) {
    const isKnown = isAuthenticated || !this.handler.authenticates;
    const tenant = () => this.handler.tenantOf(request);
    return this.#options.budgets.requests.open({ isAuthenticated: isKnown, tenant });
  }

  openWaiting(peer: Peer) {
    const tenant = () => networkTenant(peer.networkOf(NO_HEADERS));
    const isAuthenticated = !this.handler.authenticates;
    return this.#options.budgets.requests.open({ isAuthenticated, tenant });
  }

  get mayAnswer(): (() => boolean) | undefined {
    return this.#options.mayAnswer;
  }

  openUnsent(close: () => void) {
    return this.#options.budgets.responses.open(close);
  }

  unexpected(error: unknown): GridError {
    return this.#options.unexpected(error);
  }

  closed(connection: HostedConnection): void {
    this.#forget(connection);
  }

  /** Returns the open connections. */
  connections(): ClientConnection[] {
    return [...this.#connections.values()];
  }

  get hasDeferred(): boolean {
    return this.#deferred.length > 0;
  }

  defer(connection: HostedConnection): void {
    this.#deferred.push(connection);
    this.#scheduleDeferred();
  }

  #scheduleDeferred(): void {
    if (this.#deferredScheduled) return;
    this.#deferredScheduled = true;
    // A timer lets the event loop read other sockets; the end of the tick would not.
    this.#options.clock.after(0, () => this.#continueDeferred());
  }

  /** Lets connections read on in turn for as long as one slice lasts; those that are left wait for the next tick. */
  #continueDeferred(): void {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + SLICE_MS;
    let done = 0;
    // A connection that has more to read defers itself again, behind the others.
    try {
      do this.#deferred[done++]?.continueReading();
      while (done < this.#deferred.length && clock.monotonicMs() < endMs);
    } finally {
      this.#deferred.splice(0, done);
      this.#deferredScheduled = false;
      if (this.#deferred.length > 0) this.#scheduleDeferred();
    }
  }

  enqueue(connection: HostedConnection, isPipelined: boolean): void {
    if (isPipelined) this.#queue.addPipelined(connection);
    else this.#queue.add(connection);
  }

  decline(request: IncomingRequest): Reply {
    return this.handler.decline(request, this.#queue.waiting);
  }

  /** The number of requests that wait to be handled. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Returns the statistics of requests that had to wait to be handled. */
  queueStatistics(): QueueStatistics {
    return this.#queue.statistics();
  }

  /** Listens. `certificate` returns the certificate of a new connection; without it connections are not encrypted. */
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
   * Closes idle connections soon and the others when they have been answered; after `graceMs` all. Requests that are
   * on their way already are still read, and told that the service stops.
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
    this.tick++;
    const date = new Date(this.#options.clock.nowMs()).toUTCString();
    this.#lines = new CommonLines(SAFETY_HEADERS, date);
    this.#encryptedLines = new CommonLines(this.#encryptedHeaders, date);
    for (const timed of this.#timed) timed.checkTime();
    this.#options.budgets.responses.closeStalled();
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
      connection.reject(fail('OVERLOADED', present));
    } else socket.terminate();
  }

  /** Closes the oldest idle connection, so that clients that only hold connections keep nobody else out. */
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
    if (!this.clients.expectsProxyHeader(sender.address)) {
      begin(NO_BYTES, sender);
      return;
    }
    const handshake = new Handshake(this);
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
      // Whatever follows is not to be trusted, so it gets no answer.
      this.handler.rejected();
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
    const connection = new Connection(wireOf(socket, encrypted, client), this);
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

  /** Begins the TLS handshake, of which `bytes` have arrived. */
  #encrypt(
    socket: Socket,
    certificate: Bun.TLSOptions,
    handlers: Bun.SocketHandler<SocketData>,
    bytes: Buffer,
    client: SocketAddress,
  ): void {
    const handshake = new Handshake(this);
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
        if (connection === undefined) this.#forget(timed);
        else connection.gone();
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

/** A connection whose TLS handshake or proxy header has not completed. */
class Handshake implements Timed {
  readonly #host: ConnectionHost;
  readonly #deadline: number;
  /** The socket below and the encrypted one. */
  sockets: readonly Socket[] = [];

  constructor(host: ConnectionHost) {
    this.#host = host;
    this.#deadline = host.tick + host.headTicks;
  }

  checkTime(): void {
    if (this.#host.tick >= this.#deadline) this.terminate();
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

/** Returns the address of the sender of a new connection; undefined when it has left already. */
function clientOf(socket: Socket): SocketAddress | undefined {
  // A socket whose sender has left has no address, which Bun's types omit. So it is read once, at the beginning.
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

/** Returns the canonical subject of a client certificate that an accepted authority signed. */
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
