/** Sockets: where the service listens, with which certificates, and how it stops. */
import http from 'node:http';
import type { Clock, Timer } from '../base/clock.ts';
import type { GridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { CommandService } from '../service/outcome.ts';
import { BrowserGuard } from './browser-guard.ts';
import { Handler, type HttpStatistics, onlyPages, type Pages } from './handler.ts';
import { addressesOf, bindFirstFree, type HeldPort, holdFirstFree, isLoopback, urlHost } from './ports.ts';
import { refusal } from './response.ts';
import type { HttpSettings, TlsSettings } from './settings.ts';
import { readTlsMaterial, type TlsMaterial } from './tls.ts';

export interface HttpServerOptions {
  readonly settings: HttpSettings;
  /** The clients' word for the service: its path is `/<serviceName>`. */
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly pages: Pages;
  /** Logs a failure that is not of the catalogue and gives the one to answer with. */
  readonly unexpected: (error: unknown) => GridError;
  /** Told of what an operator should know: a certificate that was loaded, or could not be. */
  readonly notice: (level: 'info' | 'warn', text: string) => void;
  /** Ports that other threads share; absent: this thread finds and holds its own. */
  readonly ports?: SharedPorts;
}

/** Ports as threads are told of them; can be posted to a thread. */
export interface SharedPorts {
  readonly plain: number | undefined;
  readonly tls: number | undefined;
  readonly metrics: number | undefined;
}

/** Ports that are held for the threads of this process. */
export interface ReservedPorts extends SharedPorts {
  release(): void;
}

export interface RunningServer {
  /** What a client is told, for instance `http://localhost:8080/svc`. */
  readonly url: string;
  /** The same for each scheme that is served. */
  readonly urls: readonly string[];
  /** The port of `url`. */
  readonly port: number;
  readonly ports: SharedPorts;
  /** Addresses that are listened on. */
  readonly addresses: readonly string[];
  statistics(): HttpStatistics;
  /** Reads the certificate files now. Also done by itself every few seconds. */
  reloadCertificates(): void;
  /** Answers what is in work, refuses what comes, and closes; after `graceMs` it closes what is left. */
  stop(graceMs?: number): Promise<void>;
}

type BunServer = Bun.Server<undefined>;

/** The runtime's own limit on heads, above ours: beyond it answers have no body. */
const RUNTIME_HEAD_BYTES = 64 * 1024;
const CERTIFICATE_CHECK_MS = 5_000;
const STOP_GRACE_MS = 30_000;

/**
 * Finds free ports for the threads of this process, and holds them against other processes.
 * Throws PortError.
 */
export function reservePorts(settings: HttpSettings): ReservedPorts {
  const held: HeldPort[] = [];
  const release = () => {
    for (const each of held) each.release();
  };
  const hold = (port: number | undefined, range: number): number | undefined => {
    if (port === undefined) return undefined;
    const found = holdFirstFree(addressesOf(settings.host), port, range);
    held.push(found);
    return found.port;
  };
  try {
    const plain = hold(settings.port, settings.portRange);
    const tls = hold(settings.tls?.port, settings.portRange);
    const metrics = hold(settings.metricsPort, 1);
    return { plain, tls, metrics, release };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Listens. Resolves when requests are answered; throws PortError when no port can be had, and an error that names the
 * file when a certificate cannot be used.
 */
export async function startHttpServer(options: HttpServerOptions, service: CommandService): Promise<RunningServer> {
  // Raised for the whole process, so that heads above our own limit can be answered with JSON.
  Reflect.set(http, 'maxHeaderSize', RUNTIME_HEAD_BYTES);
  const server = new HttpServer(options, service);
  try {
    server.listen();
  } catch (error) {
    await server.stop(0);
    throw error;
  }
  return server;
}

class HttpServer implements RunningServer {
  readonly #options: HttpServerOptions;
  readonly #handler: Handler;
  readonly #plain: BunServer[] = [];
  #encrypted: BunServer[] = [];
  /** Listeners of former certificates that still answer requests. */
  readonly #draining = new Set<Promise<void>>();
  readonly #held: HeldPort[] = [];
  #material: TlsMaterial | undefined;
  #certificateCheck: Timer | undefined;
  #ports: SharedPorts = { plain: undefined, tls: undefined, metrics: undefined };
  readonly addresses: readonly string[];

  constructor(options: HttpServerOptions, service: CommandService) {
    const { settings } = options;
    this.#options = options;
    this.addresses = addressesOf(settings.host);
    this.#handler = new Handler({
      ...options,
      service,
      idleTimeoutSeconds: settings.idleTimeoutSeconds,
      guard: new BrowserGuard({
        origins: settings.origins,
        hosts: settings.hosts,
        host: settings.host,
        loopbackOnly: this.addresses.every(isLoopback),
      }),
    });
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
    if (settings.tls !== undefined) this.#material = readTlsMaterial(settings.tls);
    this.#ports = {
      plain: settings.port === undefined ? undefined : this.#listenPlain(settings.port, ports?.plain),
      tls: settings.tls === undefined ? undefined : this.#listenEncrypted(settings.tls, ports?.tls),
      metrics:
        settings.metricsPort === undefined ? undefined : this.#listenMetrics(settings.metricsPort, ports?.metrics),
    };
    if (settings.tls !== undefined) {
      this.#certificateCheck = clock.every(CERTIFICATE_CHECK_MS, () => this.reloadCertificates());
    }
  }

  #listenPlain(port: number, shared: number | undefined): number {
    const bind = (address: string, at: number, reusePort: boolean) => this.#serve(address, at, reusePort);
    if (shared !== undefined) {
      for (const address of this.addresses) this.#plain.push(bind(address, shared, true));
      return shared;
    }
    const bound = bindFirstFree(this.addresses, port, this.#options.settings.portRange, (address, at) => {
      const server = bind(address, at, false);
      return { port: server.port ?? at, server, stop: () => void server.stop(true) };
    });
    for (const { server } of bound.listeners) this.#plain.push(server);
    return bound.port;
  }

  /** Always shared: the next certificate comes with a second listener on the same port. */
  #listenEncrypted(tls: TlsSettings, shared: number | undefined): number {
    const port = shared ?? this.#hold(tls.port, this.#options.settings.portRange);
    this.#encrypted = this.#bindEncrypted(port);
    return port;
  }

  #hold(port: number, range: number): number {
    const held = holdFirstFree(this.addresses, port, range);
    this.#held.push(held);
    return held.port;
  }

  #bindEncrypted(port: number): BunServer[] {
    const servers: BunServer[] = [];
    try {
      for (const address of this.addresses) servers.push(this.#serve(address, port, true, this.#material?.options));
    } catch (error) {
      for (const server of servers) void server.stop(true);
      throw error;
    }
    return servers;
  }

  #listenMetrics(port: number, shared: number | undefined): number {
    const { serviceName } = this.#options;
    const fetch = onlyPages(this.#handler, serviceName);
    for (const address of this.addresses) {
      this.#plain.push(this.#serve(address, shared ?? port, shared !== undefined, undefined, fetch));
    }
    return shared ?? port;
  }

  #serve(
    hostname: string,
    port: number,
    reusePort: boolean,
    tls?: Bun.TLSOptions,
    fetch: (request: Request, server: BunServer) => Response | Promise<Response> = (request, server) =>
      this.#handler.handle(request, server),
  ): BunServer {
    return Bun.serve({
      hostname,
      port,
      reusePort,
      idleTimeout: this.#options.settings.idleTimeoutSeconds,
      // Bodies are counted by us, so that the refusal can be JSON.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      fetch,
      error: (error) => refusal(this.#options.unexpected(error)),
      ...(tls === undefined ? {} : { tls }),
    });
  }

  statistics(): HttpStatistics {
    return this.#handler.statistics();
  }

  reloadCertificates(): void {
    const { settings, notice } = this.#options;
    if (settings.tls === undefined || this.#ports.tls === undefined) return;
    const former = { material: this.#material, servers: this.#encrypted };
    try {
      const material = readTlsMaterial(settings.tls);
      if (material.fingerprint === former.material?.fingerprint) return;
      this.#material = material;
      this.#encrypted = this.#bindEncrypted(this.#ports.tls);
    } catch (error) {
      this.#material = former.material;
      notice('warn', `the certificate was not changed: ${error instanceof Error ? error.message : error}`);
      return;
    }
    notice('info', `a new certificate is in use from ${settings.tls.certFile}`);
    const drained = Promise.all(former.servers.map((server) => server.stop())).then(() => {
      this.#draining.delete(drained);
    });
    this.#draining.add(drained);
  }

  async stop(graceMs = STOP_GRACE_MS): Promise<void> {
    this.#certificateCheck?.cancel();
    this.#handler.beginStop();
    const servers = [...this.#plain, ...this.#encrypted];
    const force = this.#options.clock.after(graceMs, () => {
      for (const server of servers) void server.stop(true);
    });
    await Promise.all([...servers.map((server) => server.stop()), ...this.#draining]);
    force.cancel();
    this.#handler.endStop();
    for (const held of this.#held) held.release();
  }
}
