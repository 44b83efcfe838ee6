/** Listens, and makes a {@link Connection} of each client's socket, encrypted where there is a certificate. */
import type { Clock, Timer } from '../base/clock.ts';
import { fail, type GridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { HeadJudgement } from '../service/request.ts';
import type { BufferAccount, BufferBudget } from './buffer-budget.ts';
import { certificateSubject } from './certificate-subject.ts';
import { Connection } from './connection.ts';
import type { ConnectionCount } from './connection-count.ts';
import type { ConnectionHost, HostedConnection, Incoming, Peer, Timed, Wire } from './connection-host.ts';
import { NameError } from './distinguished-name.ts';
import type { HeaderBlock, RequestLine } from './head.ts';
import type { Reply } from './reply.ts';
import { readsBody } from './request.ts';
import { SLICE_MS } from './slices.ts';

export interface SocketServerOptions {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly idleTimeoutSeconds: number;
  readonly stopping: () => boolean;
  readonly refused: () => void;
  readonly unexpected: (error: unknown) => GridError;
  readonly budgets: Budgets;
  /** Those of all threads. */
  readonly connections: ConnectionCount;
  /** Judges the sender of a request by its head; never throws or rejects. Absent: nobody has to be known. */
  readonly judgeHead: ConnectionHost['judgeHead'] | undefined;
}

/** What connections may buffer. */
export interface Budgets {
  /** Requests, over all threads. */
  readonly requests: BufferBudget;
  /** Answers of this thread that clients have not read. */
  readonly answers: BufferBudget;
}

/** Ticks in which at least so many seconds pass: the present one has begun already. */
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
}

type Socket = Bun.Socket<SocketData>;
/** Bun listens with `reusePort`; its types have it for connecting alone. */
type ListenOptions = Bun.TCPSocketListenOptions<SocketData> & { readonly reusePort: boolean };

const TICK_MS = 1_000;
/** Connections that are told at once that there is no place for them; more are closed without a word. */
export const MOST_TURNED_AWAY = 32;
/** Connections that are asked to give way to a new one. */
const MOST_LOOKED_AT = 1_024;
/** Time in which requests that were sent before a stop are there. */
const ON_THEIR_WAY_MS = 200;
/** A head, and the handshake of TLS, has to come as a whole within these seconds. */
const HEAD_SECONDS = 12;

/** The connections of all listeners of a thread. */
export class SocketServer implements ConnectionHost {
  readonly headLimitBytes: number;
  readonly bodyLimitBytes: number;
  readonly idleTicks: number;
  readonly headTicks: number;
  readonly bodyBytesPerTick: number;
  readonly #options: SocketServerOptions;
  readonly #timed = new Set<Timed>();
  /** Those that are being told that there is no place for them. */
  readonly #turnedAway = new Set<Timed>();
  readonly #clients = new Map<Timed, ClientConnection>();
  #lastClient = 0;
  /** Connections with a request that came in this turn. */
  #batch: HostedConnection[] = [];
  /** Connections that read on in a later tick, in the order of {@link defer}. */
  #deferred: HostedConnection[] = [];
  #deferredScheduled = false;
  readonly #timer: Timer;
  #empty: (() => void) | undefined;
  tick = 0;
  date: string;
  /** Given by the listener that a connection belongs to; see {@link listen}. */
  readonly handle: (incoming: Incoming) => MaybePromise<Reply>;

  constructor(options: SocketServerOptions, handle: (incoming: Incoming) => MaybePromise<Reply>) {
    const { limits, clock, idleTimeoutSeconds } = options;
    this.#options = options;
    this.handle = handle;
    this.headLimitBytes = limits.requestHeadBytes;
    this.bodyLimitBytes = limits.requestBodyBytes;
    this.idleTicks = ticksOf(idleTimeoutSeconds);
    this.headTicks = ticksOf(Math.min(HEAD_SECONDS, idleTimeoutSeconds));
    this.bodyBytesPerTick = (limits.bodyBytesPerSecond * TICK_MS) / 1_000;
    this.date = new Date(clock.nowMs()).toUTCString();
    this.#timer = clock.every(TICK_MS, () => this.#passTick());
  }

  get stopping(): boolean {
    return this.#options.stopping();
  }

  readsBody(line: RequestLine, block: HeaderBlock): boolean {
    return readsBody(line, block);
  }

  judgeHead(line: RequestLine, block: HeaderBlock, peer: Peer): MaybePromise<HeadJudgement> {
    const { judgeHead } = this.#options;
    return judgeHead === undefined ? 'known' : judgeHead(line, block, peer);
  }

  openBody(proven: boolean): BufferAccount {
    return this.#options.budgets.requests.open(proven);
  }

  openWaiting(): BufferAccount {
    return this.#options.budgets.requests.open(this.#options.judgeHead === undefined);
  }

  openUnsent(): BufferAccount {
    return this.#options.budgets.answers.open(true);
  }

  refused(): void {
    this.#options.refused();
  }

  unexpected(error: unknown): GridError {
    return this.#options.unexpected(error);
  }

  closed(connection: HostedConnection): void {
    this.#forget(connection);
  }

  /** The connections that are there now. */
  clients(): ClientConnection[] {
    return [...this.#clients.values()];
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

  enqueue(connection: HostedConnection): void {
    if (this.#batch.push(connection) === 1) this.#options.clock.endOfTick(() => this.#endBatch());
  }

  #endBatch(): void {
    const batch = this.#batch;
    this.#batch = [];
    for (const connection of batch) connection.work();
    for (const connection of batch) connection.answer();
  }

  /** Listens. `certificate` gives the present one for each new connection; undefined: not encrypted. */
  listen(
    hostname: string,
    port: number,
    reusePort: boolean,
    certificate: (() => Bun.TLSOptions) | undefined,
  ): Bun.TCPSocketListener<SocketData> {
    const handlers = this.#handlers();
    const plain: Bun.SocketHandler<SocketData> = {
      ...handlers,
      open: (socket) => this.#open(socket, () => void this.#connect(socket, false)),
    };
    const encrypted = (present: () => Bun.TLSOptions): Bun.SocketHandler<SocketData> => ({
      open: (socket) => this.#open(socket, () => this.#encrypt(socket, present(), handlers)),
      data() {},
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
    this.date = new Date(this.#options.clock.nowMs()).toUTCString();
    for (const timed of this.#timed) timed.checkTime();
  }

  #open(socket: Socket, begin: () => void): void {
    socket.data = { timed: undefined, connection: undefined };
    const { limits, connections } = this.#options;
    const present = this.#timed.size - this.#turnedAway.size;
    if ((present < limits.connections && !connections.isFull) || this.#evict()) begin();
    else if (this.#turnedAway.size < MOST_TURNED_AWAY) {
      // It stays for a moment to read why.
      const connection = this.#connect(socket, false);
      this.#turnedAway.add(connection);
      connection.reject(fail('OVERLOADED', present));
    } else socket.terminate();
  }

  /** Closes the oldest connection that is idle, so that whoever only holds connections keeps nobody else out. */
  #evict(): boolean {
    let looked = 0;
    for (const timed of this.#timed) {
      if (timed.giveWay()) return true;
      if (++looked === MOST_LOOKED_AT) break;
    }
    return false;
  }

  #count(timed: Timed): void {
    this.#timed.add(timed);
    this.#options.connections.open();
  }

  #connect(socket: Socket, encrypted: boolean): Connection {
    const connection = new Connection(wireOf(socket, encrypted), this);
    socket.data = { timed: connection, connection };
    this.#count(connection);
    this.#clients.set(connection, {
      id: ++this.#lastClient,
      local: `${socket.localAddress}:${socket.localPort}`,
      remote: `${socket.remoteAddress}:${socket.remotePort}`,
      encrypted,
    });
    return connection;
  }

  #encrypt(socket: Socket, certificate: Bun.TLSOptions, handlers: Bun.SocketHandler<SocketData>): void {
    const handshake = new Handshake(this);
    this.#count(handshake);
    socket.data = { timed: handshake, connection: undefined };
    const upgrade = {
      // Bun takes the side of the server with this; its types do not have it yet.
      isServer: true,
      data: { timed: undefined, connection: undefined },
      tls: certificate,
      socket: {
        ...handlers,
        handshake: (encrypted: Socket, success: boolean) => {
          this.#forget(handshake);
          if (success) this.#connect(encrypted, true);
          else encrypted.terminate();
        },
      },
    };
    handshake.sockets = socket.upgradeTLS<SocketData>(upgrade);
  }

  #handlers(): Bun.SocketHandler<SocketData> {
    return {
      data: (socket, bytes) => socket.data.connection?.receive(bytes),
      drain: (socket) => socket.data.connection?.drained(),
      end: (socket) => socket.data.connection?.halfClosed(),
      close: (socket) => socket.data?.connection?.gone(),
      error: (socket) => void socket.terminate(),
    };
  }

  #forget(timed: Timed | undefined): void {
    if (timed === undefined || !this.#timed.delete(timed)) return;
    this.#clients.delete(timed);
    this.#turnedAway.delete(timed);
    this.#options.connections.close();
    if (this.#timed.size === 0) this.#empty?.();
  }
}

/** A connection on which TLS is still being agreed upon. */
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

  giveWay(): boolean {
    return false;
  }

  terminate(): void {
    for (const socket of this.sockets) socket.terminate();
  }
}

function wireOf(socket: Socket, encrypted: boolean): Wire {
  let subject: string | null | undefined;
  return {
    write: (data) => socket.write(data),
    shutdown: () => void socket.shutdown(),
    end: () => void socket.end(),
    terminate: () => void socket.terminate(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    get address() {
      return socket.remoteAddress;
    },
    get certificateSubject() {
      if (subject === undefined) subject = (encrypted && subjectOf(socket)) || null;
      return subject ?? undefined;
    },
  };
}

/** Returns the canonical subject of a client certificate that an accepted authority signed. */
function subjectOf(socket: Socket): string | undefined {
  if (!socket.authorized) return undefined;
  const der: unknown = socket.getPeerX509Certificate()?.raw;
  if (!(der instanceof Uint8Array)) return undefined;
  try {
    return certificateSubject(der);
  } catch (error) {
    // A certificate whose subject cannot be read stands for nobody.
    if (error instanceof NameError) return undefined;
    throw error;
  }
}
