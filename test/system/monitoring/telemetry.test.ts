/** Traces, logs and metrics as an OpenTelemetry collector receives them: OTLP over HTTP, in JSON. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { WORKERS } from '../modes.ts';
import { startService } from '../service-process.ts';

setDefaultTimeout(120_000);
const RECEIVED_WITHIN_MS = 60_000;

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number>>;
}

interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface ReceivedLog {
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly Attribute[];
}

interface ReceivedPoint {
  readonly attributes: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: {
    readonly dataPoints: readonly ReceivedPoint[];
    readonly isMonotonic: boolean;
    readonly aggregationTemporality: number;
  };
  readonly gauge?: { readonly dataPoints: readonly ReceivedPoint[] };
  readonly histogram?: { readonly dataPoints: readonly ReceivedPoint[] };
}

interface Resource {
  readonly attributes: readonly Attribute[];
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Starts a collector that keeps what it receives. */
function startCollector() {
  const bodies: string[] = [];
  const paths = new Set<string>();
  const keys = new Set<string | null>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      paths.add(new URL(request.url).pathname);
      keys.add(request.headers.get('x-key'));
      bodies.push(await request.text());
      return Response.json({});
    },
  });
  const parsed = () =>
    bodies.map(
      (body) =>
        JSON.parse(body) as {
          resourceSpans?: ReadonlyArray<{
            resource: Resource;
            scopeSpans: ReadonlyArray<{ spans: readonly ReceivedSpan[] }>;
          }>;
          resourceLogs?: ReadonlyArray<{
            resource: Resource;
            scopeLogs: ReadonlyArray<{ logRecords: readonly ReceivedLog[] }>;
          }>;
          resourceMetrics?: ReadonlyArray<{
            resource: Resource;
            scopeMetrics: ReadonlyArray<{ metrics: readonly ReceivedMetric[] }>;
          }>;
        },
    );
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    paths,
    keys,
    text: () => bodies.join('\n'),
    spans: () =>
      parsed().flatMap((each) => (each.resourceSpans ?? []).flatMap((one) => one.scopeSpans.flatMap((s) => s.spans))),
    logs: () =>
      parsed().flatMap((each) =>
        (each.resourceLogs ?? []).flatMap((one) => one.scopeLogs.flatMap((s) => s.logRecords)),
      ),
    /** What each request said about the metrics. */
    reports: () =>
      parsed().flatMap((each) =>
        (each.resourceMetrics ?? []).map((one) => one.scopeMetrics.flatMap(({ metrics }) => metrics)),
      ),
    resources: () =>
      parsed().flatMap((each) =>
        [...(each.resourceSpans ?? []), ...(each.resourceLogs ?? []), ...(each.resourceMetrics ?? [])].map(
          (one) => one.resource,
        ),
      ),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function until(isReached: () => boolean): Promise<void> {
  const endMs = performance.now() + RECEIVED_WITHIN_MS;
  while (!isReached() && performance.now() < endMs) await Bun.sleep(50);
  expect(isReached()).toBe(true);
}

for (const workers of WORKERS) {
  test(`commands become spans of the trace of their sender, without secrets, workers=${workers}`, async () => {
    using collector = startCollector();
    await using service = await startService({
      env: {
        SVC_WORKERS: String(workers),
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: 'secretpassword',
        SVC_TELEMETRY_ENDPOINT: collector.endpoint,
        SVC_TELEMETRY_HEADERS: 'x-key=collectorkey',
        SVC_LOG_SLOW_MS: '1',
      },
    });
    const login = await service.send('cmd=authenticate&svc.login=svc&svc.password=secretpassword');
    const token = login.sessionToken ?? '';
    expect(token).not.toBe('');
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    for (let each = 0; each < 8; each++) {
      // Separate connections, so that every thread gets some.
      const init = { headers: { ...headers, connection: 'close' } };
      const query = `cmd=put&cacheName=default&key=secretkey&val=secretvalue&sessionToken=${token}`;
      expect((await service.send(query, init)).response).toBe(true);
    }
    const failed = await service.send(`cmd=get&cacheName=nosuch&key=secretkey&sessionToken=${token}`, { headers });
    expect(failed.successStatus).toBe(1);
    const sql = encodeURIComponent("SELECT CAST('secretliteral' AS INT)");
    await service.send(`cmd=qryfldexe&pageSize=1&qry=${sql}&sessionToken=${token}`);
    const named = (name: string) => collector.spans().filter((span) => span.name === name);
    await until(
      () =>
        named('svc put').length === 8 &&
        named('svc get').length === 1 &&
        named('svc qryfldexe').length === 1 &&
        named('svc authenticate').length === 1,
    );
    for (const put of named('svc put')) {
      expect(put).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2 });
      expect(valuesOf(put.attributes)).toMatchObject({
        'svc.command': 'put',
        'svc.outcome': 'success',
        'svc.cache': 'default',
        'user.name': 'svc',
        'http.request.method': 'GET',
        'client.address': '127.0.0.1',
      });
      expect(put.status.code ?? 0).toBe(0);
      expect(BigInt(put.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(put.startTimeUnixNano));
    }
    const [get] = named('svc get');
    expect(get).toMatchObject({ traceId: TRACE, status: { code: 2 } });
    expect(valuesOf(get?.attributes ?? [])).toMatchObject({
      'svc.outcome': 'failure',
      'error.type': 'CACHE_NOT_FOUND',
    });
    const [own] = named('svc authenticate');
    expect(own?.traceId).not.toBe(TRACE);
    expect(own?.parentSpanId ?? '').toBe('');

    await until(() => collector.logs().some(({ body }) => body.stringValue === 'A command was slow'));
    const listening = collector.logs().find(({ body }) => body.stringValue === 'Listening');
    expect(listening?.severityText).toBe('INFO');
    expect(valuesOf(listening?.attributes ?? []).url).toContain('http://');
    expect(valuesOf(collector.resources()[0]?.attributes ?? [])).toMatchObject({ 'service.name': 'svc' });
    expect(await service.stop()).toBe(0);
    // The service's last actions have been sent before it ended.
    expect(collector.logs().some(({ body }) => body.stringValue === 'Stopped')).toBe(true);
    expect([...collector.paths].sort()).toEqual(['/v1/logs', '/v1/metrics', '/v1/traces']);
    expect([...collector.keys]).toEqual(['collectorkey']);
    for (const secret of ['secretpassword', 'secretkey', 'secretvalue', 'secretliteral', token, 'sessionToken=']) {
      expect([secret, collector.text().includes(secret)]).toEqual([secret, false]);
    }
  });
}

test('the sender of a traceparent decides, and samplePercent for other requests', async () => {
  using collector = startCollector();
  await using service = await startService({
    env: {
      SVC_TELEMETRY_ENDPOINT: collector.endpoint,
      SVC_TELEMETRY_SAMPLE_PERCENT: '0',
      SVC_TELEMETRY_LOGS: 'false',
      SVC_TELEMETRY_METRICS_INTERVAL_MS: '0',
    },
  });
  await service.send('cmd=get&key=other');
  await service.send('cmd=get&key=unsampled', { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } });
  await service.send('cmd=get&key=malformed', { headers: { traceparent: 'not a trace' } });
  await service.send('cmd=put&key=sampled&val=1', { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  await until(() => collector.spans().length > 0);
  expect(await service.stop()).toBe(0);
  expect(collector.spans().map(({ name }) => name)).toEqual(['svc put']);
  expect([...collector.paths]).toEqual(['/v1/traces']);
});

/** Returns the values of the page /metrics by name and labels, without those of buckets. */
function pageValues(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket{'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** Returns the values of a report as the page /metrics names them. */
function reportValues(report: readonly ReceivedMetric[]): Map<string, number> {
  const values = new Map<string, number>();
  for (const { name, sum, gauge, histogram } of report) {
    for (const { attributes, asDouble } of sum?.dataPoints ?? gauge?.dataPoints ?? []) {
      values.set(`${name}${labelsOf(attributes)}`, asDouble ?? Number.NaN);
    }
    for (const point of histogram?.dataPoints ?? []) {
      values.set(`${name}_sum${labelsOf(point.attributes)}`, point.sum ?? Number.NaN);
      values.set(`${name}_count${labelsOf(point.attributes)}`, point.count ?? Number.NaN);
      expect(point.bucketCounts?.length).toBe((point.explicitBounds?.length ?? 0) + 1);
      expect(point.bucketCounts?.reduce((total, each) => total + each, 0)).toBe(point.count);
    }
  }
  return values;
}

function labelsOf(attributes: readonly Attribute[]): string {
  const labels = Object.entries(valuesOf(attributes)).map(([key, value]) => `${key}="${value}"`);
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

test('the collector receives every metric of /metrics under its name, and the last values at the end', async () => {
  using collector = startCollector();
  await using service = await startService({
    env: { SVC_TELEMETRY_ENDPOINT: collector.endpoint, SVC_TELEMETRY_METRICS_INTERVAL_MS: '100' },
  });
  for (let each = 0; each < 5; each++) await service.command(`cmd=put&key=${each}&val=1`);
  await until(
    () => reportValues(collector.reports().at(-1) ?? []).get('svc_cache_writes_total{cache="default"}') === 5,
  );
  const page = pageValues(await (await fetch(`${service.origin}/metrics`)).text());
  expect(await service.stop()).toBe(0);
  const report = collector.reports().at(-1) ?? [];
  const values = reportValues(report);
  expect([...values.keys()].sort()).toEqual([...page.keys()].sort());
  for (const name of [
    'svc_requests_total{command="put",outcome="success"}',
    'svc_request_duration_seconds_count{command="put"}',
    'svc_cache_writes_total{cache="default"}',
    'process_start_time_seconds',
  ]) {
    expect([name, values.get(name)]).toEqual([name, page.get(name)]);
  }
  const named = (name: string) => report.find((each) => each.name === name);
  expect(named('svc_requests_total')?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
  expect(named('svc_requests_in_flight')?.gauge).toBeDefined();
  expect(named('svc_request_duration_seconds')?.unit).toBe('s');
  expect(named('svc_http_sent_bytes_total')?.unit).toBe('By');
  // A command with few requests has all buckets, so that their bounds never change.
  expect(
    new Set(named('svc_request_duration_seconds')?.histogram?.dataPoints.map((each) => each.explicitBounds?.length))
      .size,
  ).toBe(1);
});

test('a collector that is away delays nothing and is reported', async () => {
  await using service = await startService({
    env: { SVC_TELEMETRY_ENDPOINT: `http://127.0.0.1:${freePort()}`, SVC_TELEMETRY_METRICS_INTERVAL_MS: '200' },
  });
  for (let each = 0; each < 20; each++) expect(await service.command(`cmd=put&key=${each}&val=1`)).toBe(true);
  const log = () => readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8');
  for (const what of ['Traces', 'Log entries', 'Metrics'])
    await until(() => log().includes(`${what} could not be sent`));
  expect(await service.command('cmd=get&key=1')).toBe('1');
  expect(await service.stop()).toBe(0);
});

describe('wrong settings', () => {
  for (const [name, value] of [
    ['SVC_TELEMETRY_ENDPOINT', 'localhost:4318'],
    ['SVC_TELEMETRY_ENDPOINT', 'http://user:password@localhost:4318'],
    ['SVC_TELEMETRY_HEADERS', 'authorization'],
    ['SVC_TELEMETRY_SAMPLE_PERCENT', '101'],
    ['SVC_TELEMETRY_METRICS_INTERVAL_MS', '-1'],
  ] as const) {
    test(`${name}=${value} is rejected`, async () => {
      await expect(startService({ env: { [name]: value } })).rejects.toThrow(name);
    });
  }
});
