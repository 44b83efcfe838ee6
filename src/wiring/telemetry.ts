/** Opens the exports for an OpenTelemetry collector, if configured. The libraries are loaded only in that case. */
import os from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import type { LineSink, Log } from '../service/monitoring/log.ts';
import type {
  SentLogs,
  SentMetrics,
  SentMetricsOptions,
  TelemetryOptions,
  TelemetrySettings,
  Traces,
} from '../service/telemetry/telemetry.ts';

function optionsOf(
  settings: TelemetrySettings,
  { serviceName }: Configuration,
  clock: Clock,
  onFailure: (reason: string) => void,
): TelemetryOptions {
  const instanceId = `${os.hostname()}:${process.pid}`;
  return { ...settings, clock, serviceName, version: PRODUCT_VERSION, instanceId, onFailure };
}

/** Returns this thread's traces, or undefined without a collector. */
export async function openTraces(configuration: Configuration, clock: Clock, log: Log): Promise<Traces | undefined> {
  const { telemetry } = configuration;
  if (telemetry === undefined) return undefined;
  const { Traces } = await import('../service/telemetry/telemetry.ts');
  const onFailure = (reason: string) => log.warn('Traces could not be sent', { reason });
  return new Traces(optionsOf(telemetry, configuration, clock, onFailure));
}

/** Returns the exported logs, or undefined without a collector. */
export async function openLogs(
  configuration: Configuration,
  clock: Clock,
  file: LineSink,
): Promise<SentLogs | undefined> {
  const { telemetry } = configuration;
  if (telemetry === undefined || !telemetry.sendsLogs) return undefined;
  const { SentLogs } = await import('../service/telemetry/telemetry.ts');
  const { createLog } = await import('../service/monitoring/log.ts');
  // Only to the file: an entry about what cannot be sent is not sent.
  const log = createLog(file, 'warn', clock);
  const onFailure = (reason: string) => log.warn('Log entries could not be sent', { reason });
  return new SentLogs(optionsOf(telemetry, configuration, clock, onFailure));
}

/** Starts to send metrics; returns undefined without a collector. */
export async function openMetrics(
  configuration: Configuration,
  clock: Clock,
  log: Log,
  source: Pick<SentMetricsOptions, 'read' | 'startedAtMs'>,
): Promise<SentMetrics | undefined> {
  const { telemetry } = configuration;
  if (telemetry === undefined || telemetry.metricsIntervalMs === 0) return undefined;
  const { SentMetrics } = await import('../service/telemetry/telemetry.ts');
  const onFailure = (reason: string) => log.warn('Metrics could not be sent', { reason });
  return new SentMetrics({ ...optionsOf(telemetry, configuration, clock, onFailure), ...source });
}
