/**
 * The server of a standby: health, a few metrics and a page that names the primary. It reveals nothing about the data.
 */
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import type { FailoverStatus } from '../../base/failover-status.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { StandbyCopy } from '../../engines/embedded/backup/continuous/failover/standby-copy.ts';
import type { RunningServer, SharedPorts } from '../../http/server.ts';
import type { Log } from '../../service/monitoring/log.ts';
import { PROMETHEUS_TYPE, standbyMetricsText } from '../../service/monitoring/prometheus.ts';
import { textOutcome } from '../../service/request.ts';
import { buildInfoOf } from '../build-info.ts';
import { startWaitingServer } from '../waiting-server.ts';

export interface StandbyServerOptions {
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly log: Log;
  readonly ports: SharedPorts;
  readonly copy: StandbyCopy;
  readonly status: () => FailoverStatus;
  /** Returns the primary's address, as far as it is known. */
  primaryUrl(): string;
}

export function startStandbyServer(options: StandbyServerOptions): Promise<RunningServer> {
  const { configuration, copy, primaryUrl, status } = options;
  return startWaitingServer({
    ...options,
    failure: () => gridError('STANDBY', primaryUrl()),
    metrics: () => {
      const standby = { ...copy.status(), ...status() };
      return textOutcome(standbyMetricsText(buildInfoOf(configuration), standby), PROMETHEUS_TYPE);
    },
    role: status,
    home: () => ({ type: 'text/plain;charset=utf-8', body: `standby of ${primaryUrl()}\n`, headers: {} }),
  });
}
