/**
 * Starts a service whose cluster may not be reachable yet. The service listens immediately: it is live but not ready,
 * and responds to commands with CLUSTER_UNREACHABLE until a node accepts it. It retries with exponential back-off.
 */
import { type Clock, randomBytes, type Timer } from '../base/clock.ts';
import { type ErrorCode, errorText, GridError, gridError } from '../base/errors.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { type ReservedPorts, type RunningServer, reservePorts, type SharedPorts } from '../http/server.ts';
import type { Log } from '../service/monitoring/log.ts';
import { PROMETHEUS_TYPE, waitingMetricsText } from '../service/monitoring/prometheus.ts';
import { type Outcome, textOutcome } from '../service/request.ts';
import { buildInfoOf } from './build-info.ts';
import { consoleUrl } from './console/console-url.ts';
import { announce } from './folder-owner.ts';
import type { RunningService } from './running-service.ts';
import { startWaitingServer } from './waiting-server.ts';

export interface ClusterStart {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Opens the engine and serves requests on the ports that `ports` returns; if undefined, on ports that it chooses.
   * Rejects, leaving nothing open, if the cluster does not respond.
   */
  start(ports: () => SharedPorts | undefined): Promise<RunningService>;
}

/** A first attempt that takes longer continues while the service is already listening. */
const FIRST_ATTEMPT_MS = 3_000;
/** Back-off between attempts: it starts at the first delay and doubles up to the longest. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** Errors of a cluster that is absent, starting or not ready. Retrying may succeed. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'CLUSTER_UNREACHABLE',
  'CLUSTER_ANSWER_INVALID',
  'OUTCOME_UNKNOWN',
  'OPERATION_FAILED',
  'INACTIVE',
  'READ_ONLY',
]);

/**
 * Starts the service. Resolves when it listens, with or without a cluster. Rejects with the error of the first attempt
 * if retrying cannot help: wrong credentials, an invalid configuration, no free port.
 */
export async function startWithCluster(options: ClusterStart): Promise<RunningService> {
  const starting = new StartingService(options);
  const first = starting.attempt();
  const timeout = Promise.withResolvers<'slow'>();
  const timer = options.clock.after(FIRST_ATTEMPT_MS, () => timeout.resolve('slow'));
  let outcome = await Promise.race([first, timeout.promise]);
  timer.cancel();
  // An attempt that is already listening has its port.
  if (outcome === 'slow' && starting.isListening) outcome = await first;
  if (outcome === 'slow') {
    const waiting = await starting.listenWithoutCluster();
    void first.then((service) => service ?? starting.retryLater());
    return waiting;
  }
  if (outcome) return outcome;
  if (!isRetryable(starting.lastFailure)) throw starting.lastFailure;
  const waiting = await starting.listenWithoutCluster();
  starting.retryLater();
  return waiting;
}

function isRetryable(error: unknown): boolean {
  return error instanceof GridError && RETRYABLE.has(error.code);
}

/** Returns the delay before the next attempt after the given number of failures. A quarter of it is random. */
export function delayMs(failures: number, random: number): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20));
  return longest * (0.75 + random / 4);
}

class StartingService {
  readonly #options: ClusterStart;
  readonly #startedMs: number;
  #attempts = 0;
  #failures = 0;
  #reported: string | undefined;
  #ports: ReservedPorts | undefined;
  #waiting: RunningServer | undefined;
  #service: RunningService | undefined;
  #timer: Timer | undefined;
  /** Removes the service's description from its folder. */
  #withdraw: (() => void) | undefined;
  #stopped = false;
  /** Whether an attempt listens on ports that it chooses. */
  isListening = false;
  lastFailure: unknown;

  constructor(options: ClusterStart) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
  }

  /** Tries to start the service. Returns undefined and sets {@link lastFailure} if that fails. */
  async attempt(): Promise<RunningService | undefined> {
    const { log, clock, start } = this.#options;
    this.#attempts++;
    let service: RunningService;
    try {
      service = await start(() => {
        this.isListening = this.#ports === undefined;
        return this.#ports;
      });
    } catch (error) {
      this.isListening = false;
      this.lastFailure = error;
      this.#report(error);
      return undefined;
    }
    if (this.#stopped) {
      await service.stop();
      return undefined;
    }
    this.#service = service;
    if (this.#attempts > 1 || this.#waiting) {
      log.info('Connected to the cluster', {
        attempts: this.#attempts,
        waitedMs: clock.monotonicMs() - this.#startedMs,
      });
    }
    // The service listens on the same ports and accepts new connections.
    await this.#waiting?.stop();
    this.#waiting = undefined;
    return service;
  }

  retryLater(): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    const delay = delayMs(this.#failures++, (randomBytes(1)[0] ?? 0) / 255);
    this.#timer = clock.after(delay, () => {
      void this.attempt().then((service) => service ?? this.retryLater());
    });
  }

  /** Listens without an engine. */
  async listenWithoutCluster(): Promise<RunningService> {
    const { configuration, clock, log } = this.#options;
    this.#ports = reservePorts(configuration.http);
    const { plain, tls, metrics, console } = this.#ports;
    const server = await startWaitingServer({
      ...{ configuration, clock, log },
      ports: { plain, tls, metrics, console },
      failure: waitingFailure,
      metrics: () => this.#metrics(),
    });
    this.#waiting = server;
    log.info('Listening without a cluster', { url: server.url });
    this.#withdraw = announce(configuration, server.url, clock);
    return {
      url: server.url,
      consoleUrl: consoleUrl(server.url, configuration.http),
      waitsBecause: this.lastFailure === undefined ? 'no node has answered yet' : errorText(this.lastFailure),
      stop: () => this.#stop(),
    };
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#waiting?.stop();
    await this.#service?.stop();
    this.#ports?.release();
    this.#withdraw?.();
  }

  /** Logs each change of the reason once. */
  #report(error: unknown): void {
    const reason = error instanceof GridError ? error.code : String(error);
    if (reason === this.#reported) return;
    this.#reported = reason;
    const text = errorText(error);
    this.#options.log.warn('The cluster is unreachable; retrying', { reason: text });
  }

  #metrics(): Outcome {
    return textOutcome(waitingMetricsText(buildInfoOf(this.#options.configuration), this.#attempts), PROMETHEUS_TYPE);
  }
}

function waitingFailure(): GridError {
  return gridError('CLUSTER_UNREACHABLE', 'the service is still connecting; its log contains the reason');
}
