/**
 * Listens while startup takes long: the main thread is inside SQLite then, so a thread responds that the service is
 * live and not ready. The service takes over its ports.
 */
import { threadUrl } from '../../base/thread-url.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { type ReservedPorts, reservePorts, type SharedPorts } from '../../http/server.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { waitingMetricsText } from '../../service/monitoring/prometheus.ts';
import { buildInfoOf } from '../../wiring/build-info.ts';
import type { RunningService } from '../../wiring/running-service.ts';
import type { StartThreadStart } from './start-thread.ts';

class LongStart {
  readonly #configuration: Configuration;
  readonly #log: Log;
  #ports: ReservedPorts | undefined;
  #worker: Worker | undefined;

  constructor(configuration: Configuration, log: Log) {
    this.#configuration = configuration;
    this.#log = log;
  }

  /** The ports on which the thread listens, or undefined if startup has not taken long. */
  get ports(): SharedPorts | undefined {
    if (this.#ports === undefined) return undefined;
    const { plain, tls, metrics, console } = this.#ports;
    return { plain, tls, metrics, console };
  }

  /** Starts the thread, which runs although the caller occupies this one from then on. */
  begin(): void {
    if (this.#worker !== undefined) return;
    const { http, httpStatus, serviceName, limits, defaultCache, compatibility } = this.#configuration;
    const { authentication, secretKey, console: page, engine } = this.#configuration;
    this.#ports = reservePorts(http);
    const { plain, tls, metrics, console } = this.#ports;
    this.#worker = new Worker(threadUrl('processes/start/start-thread.ts'), { smol: true });
    // Without it the service still starts.
    this.#worker.addEventListener('error', ({ message: detail }) =>
      this.#log.error('The thread that answers during the start failed', { detail }),
    );
    const start: StartThreadStart = {
      settings: {
        ...{ http, httpStatus, serviceName, limits, defaultCache, compatibility },
        ...{ authentication, secretKey, console: page, engine },
      },
      ports: { plain, tls, metrics, console },
      metrics: waitingMetricsText(buildInfoOf(this.#configuration), 1),
    };
    this.#worker.postMessage(start);
    this.#log.info('The start takes long; health checks are answered', { port: plain ?? tls ?? null });
  }

  /** Ends the thread, when the service listens or has failed to start. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  release(): void {
    this.end();
    this.#ports?.release();
    this.#ports = undefined;
  }
}

/** Starts a service on the ports on which a thread responds if startup takes long. */
export async function startAnswering(
  configuration: Configuration,
  log: Log,
  start: (ports: () => SharedPorts | undefined, onLongStart: () => void) => Promise<RunningService>,
): Promise<RunningService> {
  const longStart = new LongStart(configuration, log);
  try {
    const running = await start(
      () => longStart.ports,
      () => longStart.begin(),
    );
    longStart.end();
    return {
      ...running,
      async stop() {
        await running.stop();
        longStart.release();
      },
    };
  } catch (error) {
    longStart.release();
    throw error;
  }
}
