/**
 * Traces, logs and metrics for an OpenTelemetry collector, sent by OTLP over HTTP. Loaded only if an endpoint is
 * configured. Each HTTP thread records its own commands. The only parameter of a request that becomes part of a span is
 * the cache name: query strings and bodies contain credentials, keys and values.
 */
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type TextMapGetter } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonMetricsSerializer, MetricsExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock, Timer } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { CommandTracer } from '../monitoring/command-tracer.ts';
import type { LineSink } from '../monitoring/log.ts';
import { OUTCOMES } from '../monitoring/metrics.ts';
import type { MetricFamily } from '../monitoring/metrics-page.ts';
import type { RawRequest } from '../request.ts';
import { otlpMetrics } from './otlp-metrics.ts';

export interface TelemetrySettings {
  /** Address of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the requests without a parent that are traced, 0 to 1. */
  readonly sampleRatio: number;
  /** Whether log entries are also sent. */
  readonly sendsLogs: boolean;
  /** Time between reports of the metrics; 0 to send none. */
  readonly metricsIntervalMs: number;
}

export interface TelemetryOptions extends Omit<TelemetrySettings, 'sendsLogs'> {
  readonly clock: Clock;
  readonly serviceName: string;
  readonly version: string;
  readonly instanceId: string;
  /** Called at most once a minute while the collector accepts nothing. */
  readonly onFailure: (reason: string) => void;
}

/** Maximum number of spans and log entries that wait to be sent; the rest are dropped. */
const QUEUE = 4_096;
const BATCH = 512;
const SEND_EVERY_MS = 1_000;
/** Time limit for a request to the collector. */
const EXPORT_MS = 5_000;
/** Time for sending the rest when the service stops. */
const CLOSE_MS = 1_000;
const FAILURE_EVERY_MS = 60_000;
const CACHE_NAME_CHARACTERS = 100;
const SCOPE = 'svc';

const SEVERITIES: Readonly<Record<string, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
};

const HEADERS: TextMapGetter<RawRequest> = {
  keys: () => ['traceparent', 'tracestate'],
  get: (request, name) => request.header(name) ?? undefined,
};

/** Records a thread's commands as spans. A `traceparent` in the request makes them part of its trace. */
export class Traces implements CommandTracer {
  readonly #clock: Clock;
  readonly #provider: TracerProvider;
  readonly #tracer: ReturnType<TracerProvider['getTracer']>;
  readonly #propagator = new W3CTraceContextPropagator();

  constructor(options: TelemetryOptions) {
    const { clock, endpoint, headers, sampleRatio, version } = options;
    this.#clock = clock;
    const exporter = new OTLPTraceExporter({
      url: `${endpoint}/v1/traces`,
      headers: { ...headers },
      timeoutMillis: EXPORT_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceOf(options),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
      spanProcessors: [new BatchSpanProcessor({ ...batchSettings(), exporter: reporting(exporter, options) })],
    });
    this.#tracer = this.#provider.getTracer(SCOPE, version);
  }

  ended(...[command, outcome, durationMs, caller, request]: Parameters<CommandTracer['ended']>): void {
    const endMs = this.#clock.nowMs();
    const cache = request.params.get('cacheName');
    const span: Span = this.#tracer.startSpan(
      `svc ${command.name}`,
      {
        kind: SpanKind.SERVER,
        startTime: endMs - durationMs,
        attributes: {
          'svc.command': command.name,
          'svc.outcome': OUTCOMES[outcome.successStatus],
          'http.request.method': request.method,
          'http.response.status_code': outcome.http,
          'client.address': request.peerAddress(),
          ...(cache !== undefined && { 'svc.cache': cache.slice(0, CACHE_NAME_CHARACTERS) }),
          ...(caller.user !== '' && { 'user.name': caller.user }),
          ...(outcome.failure !== undefined && { 'error.type': outcome.failure.code }),
        },
      },
      this.#propagator.extract(ROOT_CONTEXT, request, HEADERS),
    );
    // An error's text may quote values, so only its code is recorded.
    if (outcome.successStatus !== 0) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endMs);
  }

  /** Sends waiting spans, for at most a second. */
  close(): Promise<void> {
    return within(this.#clock, this.#provider.shutdown());
  }
}

/** Sends log entries. */
export class SentLogs {
  readonly #clock: Clock;
  readonly #provider: LoggerProvider;

  constructor(options: TelemetryOptions) {
    const { clock, endpoint, headers } = options;
    this.#clock = clock;
    const exporter = new OTLPLogExporter({
      url: `${endpoint}/v1/logs`,
      headers: { ...headers },
      timeoutMillis: EXPORT_MS,
    });
    this.#provider = new LoggerProvider({
      resource: resourceOf(options),
      processors: [new BatchLogRecordProcessor({ ...batchSettings(), exporter: reporting(exporter, options) })],
    });
  }

  /** Returns a sink that also sends each line of the log. */
  sink(sink: LineSink): LineSink {
    const logger = this.#provider.getLogger(SCOPE);
    return {
      append(line) {
        sink.append(line);
        const { time, level, message, ...attributes } = JSON.parse(line);
        const severityNumber = SEVERITIES[level] ?? SeverityNumber.UNSPECIFIED;
        const timestamp = Date.parse(time);
        logger.emit({
          timestamp,
          severityNumber,
          severityText: String(level).toUpperCase(),
          body: message,
          attributes,
        });
      },
    };
  }

  /** Sends waiting entries, for at most a second. */
  close(): Promise<void> {
    return within(this.#clock, this.#provider.shutdown());
  }
}

export interface SentMetricsOptions extends TelemetryOptions {
  /** Since when counters count, in ms since 1970. */
  readonly startedAtMs: number;
  readonly read: () => Promise<readonly MetricFamily[]>;
}

/** Sends all metrics regularly. */
export class SentMetrics {
  readonly #options: SentMetricsOptions;
  readonly #exporter: Exporter<ResourceMetrics>;
  readonly #timer: Timer;
  #isSending = false;

  constructor(options: SentMetricsOptions) {
    const { clock, endpoint, headers, metricsIntervalMs } = options;
    this.#options = options;
    const settings = { url: `${endpoint}/v1/metrics`, headers: { ...headers }, timeoutMillis: EXPORT_MS };
    const json = { 'Content-Type': 'application/json' };
    const exporter = createOtlpHttpExportDelegate(
      convertLegacyHttpOptions(settings, 'METRICS', 'v1/metrics', json),
      JsonMetricsSerializer,
      'otlp_http_metric_exporter',
      MetricsExporterMetricsHelper,
      undefined,
    );
    this.#exporter = reporting(exporter, options);
    this.#timer = clock.every(metricsIntervalMs, () => void this.#send());
  }

  /** Sends the values; does nothing while the previous ones are being sent. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const { clock, read, startedAtMs, version, onFailure } = this.#options;
    try {
      const metrics = otlpMetrics(await read(), startedAtMs, clock.nowMs());
      const scopeMetrics = [{ scope: { name: SCOPE, version }, metrics }];
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#exporter.export({ resource: resourceOf(this.#options), scopeMetrics }, () => resolve());
      await promise;
    } catch (error) {
      onFailure(errorText(error));
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends the last values, for at most a second. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await within(
      this.#options.clock,
      this.#send().then(() => this.#exporter.shutdown()),
    );
  }
}

function batchSettings() {
  return {
    maxQueueSize: QUEUE,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  };
}

function resourceOf({ serviceName, version, instanceId }: TelemetryOptions) {
  return resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': instanceId,
  });
}

interface Exporter<T> {
  export(items: T, callback: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Returns an exporter that reports failures, at most once a minute. */
function reporting<T>(exporter: Exporter<T>, { clock, onFailure }: TelemetryOptions) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  return {
    export(items: T, callback: (result: ExportResult) => void) {
      exporter.export(items, (result) => {
        const nowMs = clock.monotonicMs();
        if (result.code !== ExportResultCode.SUCCESS && nowMs - reportedMs >= FAILURE_EVERY_MS) {
          reportedMs = nowMs;
          onFailure(result.error?.message ?? 'unknown');
        }
        callback(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Waits for an action for at most a second. */
async function within(clock: Clock, action: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(CLOSE_MS, resolve);
  await Promise.race([action.catch(() => {}), promise]);
  timer.cancel();
}
