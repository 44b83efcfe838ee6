/** Starts and stops the HTTP server: ports, certificates and listeners. */
import type { QueueStatistics } from '../base/admission.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { errorText, type GridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { CommandService, ResourceService } from '../service/request.ts';
import { BrowserGuard } from './browser-guard.ts';
import { BufferBudget } from './buffer-budget.ts';
import { ClientAddresses } from './client-addresses.ts';
import { ReplyCompression } from './compression/reply-compression.ts';
import { ConnectionCount } from './connection-count.ts';
import { Handler, type HttpStatistics } from './handler.ts';
import { type Pages, servesConsole } from './pages/page-handler.ts';
import { addressesOf, bindFirstFree, isLoopback, type ReservedPort, reserveFirstFree, urlHost } from './ports.ts';
import { ResponseBudget } from './replies/response-budget.ts';
import { NO_RESOURCES } from './resources/resource-requests.ts';
import type { HttpSettings, TlsSettings } from './settings.ts';
import { type ClientConnection, SocketServer, type SocketServerOptions } from './socket-server.ts';
import type { TlsMaterial } from './tls.ts';

export interface HttpServerOptions {
  readonly settings: HttpSettings;
  /** Name of the service in its path `/<serviceName>`. */
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly pages: Pages;
  /** undefined if there are none. */
  readonly resources?: ResourceService;
  /** Logs an unexpected error and returns the error to respond with. */
  readonly unexpected: (error: unknown) => GridError;
  /** Reports to the operator that a certificate was loaded, or could not be. */
  readonly notice: (level: 'info' | 'warn', text: string) => void;
  /** Budget for the request bytes that all threads buffer; if undefined, this thread is the only one. */
  readonly requestBuffers?: BufferBudget;
  /** Budget for unread response bytes of all threads; if undefined, this thread is the only one. */
  readonly responseBuffers?: ResponseBudget;
  /** The connections of all threads; if undefined, this thread is the only one. */
  readonly connections?: ConnectionCount;
  /** Ports that the threads share; if undefined, this thread finds and holds its own. */
  readonly ports?: SharedPorts;
  /** Whether the service may respond now; always, if undefined. */
  readonly mayAnswer?: (() => boolean) | undefined;
}

/** Ports in a form that can be posted to a thread. */
export interface SharedPorts {
  readonly plain: number | undefined;
  readonly tls: number | undefined;
  readonly metrics: number | undefined;
  readonly console: number | undefined;
}

/** Ports held for the threads of this process. */
export interface ReservedPorts extends SharedPorts {
  release(): void;
}

export interface ServerStatistics extends HttpStatistics {
  /** Requests that had to wait to be handled, and those rejected because they would have waited too long. */
  readonly queue: QueueStatistics;
  /** Requests that have arrived and are waiting to be handled. */
  readonly waiting: number;
}

export interface RunningServer {
  /** Address for clients, for instance `http://localhost:8080/svc`. */
  readonly url: string;
  /** The address for each scheme that is served. */
  readonly urls: readonly string[];
  /** The port of `url`. */
  readonly port: number;
  readonly ports: SharedPorts;
  /** Addresses that the server listens on. */
  readonly addresses: readonly string[];
  statistics(): ServerStatistics;
  /** Returns the open client connections. */
  clients(): readonly ClientConnection[];
  /** Reads the certificate files now. The server also does so every few seconds. */
  reloadCertificates(): void;
  /**
   * Finishes current requests, rejects new ones, and closes. After `graceMs` it terminates the remaining connections.
   */
  stop(graceMs?: number): Promise<void>;
}

/** Returns one thread's request budget. A body of the largest size always fits into an empty budget. */
export function requestBuffersOf(limits: Limits, memory?: SharedArrayBuffer, thread = 0): BufferBudget {
  const { requestBufferBytes, requestBodyBytes, unauthenticatedBufferBytes } = limits;
  const totalBytes = Math.max(requestBufferBytes, requestBodyBytes + RESERVE_BESIDE_BYTES);
  return new BufferBudget({ totalBytes, unauthenticatedBytes: unauthenticatedBufferBytes }, memory, thread);
}

type SocketListener = ReturnType<SocketServer['listen']>;

/** Maximum number of connections to the metrics port, which clients of the other ports cannot take. */
const MONITORING_CONNECTIONS = 64;
/** Renewed certificates are used within seconds. The check reads two small files. */
const CERTIFICATE_CHECK_MS = 5_000;
/** Time between log entries about a proxy whose connections lack the expected header. */
const PROXY_NOTICE_MS = 60_000;
/** Number of bytes reserved for heads, in addition to the largest body. */
const RESERVE_BESIDE_BYTES = 1024 * 1024;
/** Time for requests in flight when the service stops; as long as Kubernetes waits by default. */
const STOP_GRACE_MS = 30_000;

/** Finds free ports for the threads of this process, and reserves them against other processes. Throws PortError. */
export function reservePorts(settings: HttpSettings): ReservedPorts {
  const reserved: ReservedPort[] = [];
  const release = () => {
    for (const each of reserved) each.release();
  };
  const reserve = (port: number | undefined, range: number): number | undefined => {
    if (port === undefined) return undefined;
    const found = reserveFirstFree(addressesOf(settings.host), port, range);
    reserved.push(found);
    return found.port;
  };
  try {
    const plain = reserve(settings.port, settings.portRange);
    const tls = reserve(settings.tls?.port, settings.portRange);
    const metrics = reserve(settings.metricsPort, 1);
    const console = settings.console ? reserve(settings.consolePort, 1) : undefined;
    return { plain, tls, metrics, console, release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Starts to listen, and resolves when the server accepts requests. Throws PortError if no port is free, and an error
 * that names the file if a certificate cannot be used.
 */
export async function startHttpServer(options: HttpServerOptions, service: CommandService): Promise<RunningServer> {
  // Loaded on demand: certificates need node:crypto, which slows startup down.
  const readMaterial = options.settings.tls && (await import('./tls.ts')).readTlsMaterial;
  const server = new HttpServer(options, service, readMaterial);
  try {
    server.listen();
  } catch (error) {
    await server.stop(0);
    throw error;
  }
  return server;
}

/** Reads certificates; see tls.ts. */
type ReadMaterial = (settings: TlsSettings) => TlsMaterial;

class HttpServer implements RunningServer {
  readonly #options: HttpServerOptions;
  readonly #handler: Handler;
  readonly #sockets: SocketServer;
  readonly #metrics: SocketServer | undefined;
  /** The server on the console's separate port. */
  readonly #console: SocketServer | undefined;
  readonly #listeners: SocketListener[] = [];
  readonly #readMaterial: ReadMaterial | undefined;
  #material: TlsMaterial | undefined;
  #certificateCheck: Timer | undefined;
  #proxyNotedMs = Number.NEGATIVE_INFINITY;
  #ports: SharedPorts = { plain: undefined, tls: undefined, metrics: undefined, console: undefined };
  readonly addresses: readonly string[];

  constructor(options: HttpServerOptions, service: CommandService, readMaterial: ReadMaterial | undefined) {
    const { settings, limits, clock, unexpected } = options;
    this.#options = options;
    this.#readMaterial = readMaterial;
    this.addresses = addressesOf(settings.host);
    const handler = new Handler({
      ...options,
      service,
      resources: options.resources ?? NO_RESOURCES,
      guard: new BrowserGuard({
        origins: settings.origins,
        hosts: settings.hosts,
        host: settings.host,
        loopbackOnly: this.addresses.every(isLoopback),
        ambientRights:
          service.preAuthenticate === undefined ||
          (settings.tls !== undefined && settings.tls.clientCertificates !== 'none'),
      }),
    });
    const shared: SocketServerOptions = {
      limits,
      clock,
      idleTimeoutSeconds: settings.idleTimeoutSeconds,
      strictTransportSeconds: settings.tls?.strictTransportSeconds ?? 0,
      handler,
      proxyRejected: (address, error) => this.#noteProxy(address, error),
      unexpected,
      clients: new ClientAddresses(settings.proxies),
      requestBudget: options.requestBuffers ?? requestBuffersOf(limits),
      responses: options.responseBuffers ?? new ResponseBudget(limits.responseBufferBytes, clock),
      compression: new ReplyCompression({
        minBytes: settings.compressionMinBytes,
        maxStreams: limits.compressedResponses,
      }),
      connections: options.connections ?? new ConnectionCount(limits.connections),
      mayAnswer: options.mayAnswer,
    };
    this.#handler = handler;
    this.#sockets = new SocketServer(shared, servesConsole(settings) ? 'console' : 'commands');
    this.#console =
      settings.console && settings.consolePort !== undefined ? new SocketServer(shared, 'console') : undefined;
    this.#metrics =
      settings.metricsPort === undefined
        ? undefined
        : new SocketServer({ ...shared, connections: new ConnectionCount(MONITORING_CONNECTIONS) }, 'pages');
  }

  get ports(): SharedPorts {
    return this.#ports;
  }

  get port(): number {
    return this.#ports.plain ?? this.#ports.tls ?? 0;
  }

  get url(): string {
    return this.urls[0] ?? '';
  }

  get urls(): readonly string[] {
    const { settings, serviceName } = this.#options;
    const urlOf = (scheme: string, port: number | undefined) =>
      port === undefined ? [] : [`${scheme}://${urlHost(settings.host)}:${port}/${serviceName}`];
    return [...urlOf('http', this.#ports.plain), ...urlOf('https', this.#ports.tls)];
  }

  listen(): void {
    const { settings, ports, clock } = this.#options;
    const { tls } = settings;
    if (tls !== undefined) this.#material = this.#readMaterial?.(tls);
    // Each new connection uses the current certificate, so that a change does not affect open ones.
    const certificate = () => this.#material?.options ?? {};
    const { portRange } = settings;
    this.#ports = {
      plain: this.#listen(this.#sockets, settings.port, portRange, ports?.plain, undefined),
      tls: this.#listen(this.#sockets, tls?.port, portRange, ports?.tls, certificate),
      metrics: this.#metrics && this.#listen(this.#metrics, settings.metricsPort, 1, ports?.metrics, undefined),
      console: this.#console && this.#listenConsole(this.#console, certificate),
    };
    if (tls !== undefined) {
      this.#certificateCheck = clock.every(CERTIFICATE_CHECK_MS, () => this.reloadCertificates());
    }
  }

  /** Listens on the console's separate port, with TLS if commands are served only with TLS. */
  #listenConsole(sockets: SocketServer, certificate: () => Bun.TLSOptions): number | undefined {
    const { settings, ports } = this.#options;
    const isSecure = settings.port === undefined;
    return this.#listen(sockets, settings.consolePort, 1, ports?.console, isSecure ? certificate : undefined);
  }

  /** Listens on all addresses, on the port that the threads share or the first free one. */
  #listen(
    sockets: SocketServer,
    port: number | undefined,
    range: number,
    shared: number | undefined,
    certificate: (() => Bun.TLSOptions) | undefined,
  ): number | undefined {
    if (port === undefined) return undefined;
    if (shared !== undefined) {
      for (const address of this.addresses) this.#listeners.push(sockets.listen(address, shared, true, certificate));
      return shared;
    }
    const bound = bindFirstFree(this.addresses, port, range, (address, at) => {
      const listener = sockets.listen(address, at, false, certificate);
      return { port: listener.port, listener, stop: () => listener.stop(true) };
    });
    for (const { listener } of bound.listeners) this.#listeners.push(listener);
    return bound.port;
  }

  statistics(): ServerStatistics {
    return {
      ...this.#handler.statistics(),
      waiting: this.#sockets.waiting,
      queue: this.#sockets.queueStatistics(),
    };
  }

  clients(): readonly ClientConnection[] {
    return this.#sockets.connections();
  }

  reloadCertificates(): void {
    const { settings, notice } = this.#options;
    if (settings.tls === undefined || this.#readMaterial === undefined) return;
    try {
      const material = this.#readMaterial(settings.tls);
      if (material.fingerprint === this.#material?.fingerprint) return;
      this.#material = material;
    } catch (error) {
      notice('warn', `the certificate was not changed: ${errorText(error)}`);
      return;
    }
    notice('info', `a new certificate is in use from ${settings.tls.certFile}`);
  }

  #noteProxy(address: string, error: unknown): void {
    const { clock, notice } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#proxyNotedMs < PROXY_NOTICE_MS) return;
    this.#proxyNotedMs = nowMs;
    const reason = errorText(error);
    notice('warn', `closed a connection from the trusted proxy ${address}: ${reason} (more are logged once a minute)`);
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#certificateCheck?.cancel();
    this.#handler.beginStop();
    // Clients that have already connected are accepted before the listeners close.
    await new Promise<void>((resolve) => this.#options.clock.endOfTick(resolve));
    for (const listener of this.#listeners) listener.stop(false);
    await Promise.all([this.#sockets.stop(graceMs), this.#metrics?.stop(graceMs), this.#console?.stop(graceMs)]);
  }
}
