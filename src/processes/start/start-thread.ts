/**
 * Entry of the startup thread, which listens instead of the service while startup takes long.
 *
 * Runs: health checks and pages; every command gets NOT_READY. The main thread is inside SQLite at that time: it
 * converts many entries for a migration, or for new entities and fields of the configuration. Owns: the connections
 * of clients during startup, on ports that the main thread has reserved. Started by long-start.ts in the main thread
 * before the first such conversion. Ends: when the service listens on the same ports, or has failed to start, or
 * with the process.
 */
import { systemClock as clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import type { SharedPorts } from '../../http/server.ts';
import { PROMETHEUS_TYPE } from '../../service/monitoring/prometheus.ts';
import { textOutcome } from '../../service/request.ts';
import { startWaitingServer, type WaitingSettings } from '../../wiring/waiting-server.ts';

declare const self: Worker;

/** The only message to the thread. */
export interface StartThreadStart {
  readonly settings: WaitingSettings;
  readonly ports: SharedPorts;
  /** The content of /metrics in the meantime. */
  readonly metrics: string;
}

const SILENT = { info() {}, warn() {} };

self.onmessage = ({ data }: MessageEvent<StartThreadStart>) => {
  const { settings: configuration, ports, metrics } = data;
  void startWaitingServer({
    ...{ configuration, clock, ports },
    log: SILENT,
    failure: () => gridError('NOT_READY'),
    metrics: () => textOutcome(metrics, PROMETHEUS_TYPE),
  });
};
