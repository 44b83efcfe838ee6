/**
 * A model of throughput from service demands (docs/scaling.md), and what it predicts for the measurements of
 * bench/RESULTS.md. Times are in microseconds.
 */

/** A row of bench/RESULTS.md. */
export interface Measurement {
  readonly title: string;
  readonly operation: string;
  readonly load: string;
  readonly cache: string;
  readonly connections: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** What the model predicts for a measurement. */
export interface Prediction {
  readonly measurement: Measurement;
  readonly perSecond: number;
  /** Predicted minus measured, as a share of the measured throughput. */
  readonly error: number;
}

/** Returns the tables of the report: one row for each measurement. */
export function readMeasurements(report: string): Measurement[] {
  const found: Measurement[] = [];
  let title = '';
  for (const line of report.split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    const columns = line.split('|').map((column) => column.trim());
    if (columns.length !== 14 || !title.startsWith('svc workers')) continue;
    const [, operation = '', load = '', cache = '', entries, connections, perSecond, cpuMicros] = columns;
    if (entries !== '1000') continue;
    const numbers = { connections: Number(connections), perSecond: Number(perSecond), cpuMicros: Number(cpuMicros) };
    found.push({ title, operation, load, cache, ...numbers });
  }
  return found;
}

const READS: readonly string[] = ['get', 'getall'];

/**
 * Returns requests per second of a thread that is never idle. `waitMicros` is the time of a commit in which the thread
 * waits for the disk. All requests that arrive meanwhile share the next commit, so it is divided by their number.
 */
export function throughput(cpuMicros: number, waitMicros: number, connections: number): number {
  return (1e6 * connections) / (connections * cpuMicros + waitMicros);
}

/** Returns the time in which a commit waits, from the answer times of one client that sends one request at a time. */
export function commitWaitMicros(measurements: readonly Measurement[]): number {
  const alone = (operation: string): Measurement | undefined =>
    measurements.find(
      (each) =>
        each.title === 'svc workers=1' &&
        each.operation === operation &&
        each.cache === 'durable' &&
        each.load === 'clients' &&
        each.connections === 1,
    );
  const [get, put] = [alone('get'), alone('put')];
  if (get === undefined || put === undefined) throw new Error('The report has no get and put of one connection.');
  // What the answer to a get takes beside the service's CPU time is the client and the network.
  const clientMicros = 1e6 / get.perSecond - get.cpuMicros;
  return 1e6 / put.perSecond - put.cpuMicros - clientMicros;
}

/** Predicts the throughput of one HTTP thread, for the loads that saturate it. */
export function predict(measurements: readonly Measurement[]): Prediction[] {
  const waitMicros = commitWaitMicros(measurements);
  return measurements
    .filter(({ title, load }) => title === 'svc workers=1' && load === 'sockets')
    .map((measurement) => {
      const { operation, cache, cpuMicros, connections } = measurement;
      const waits = cache === 'durable' && !READS.includes(operation);
      // Counters are stored in the region `default`, which is durable, whatever the cache.
      const isDurable = waits || operation === 'incr';
      const perSecond = throughput(cpuMicros, isDurable ? waitMicros : 0, connections);
      return { measurement, perSecond, error: perSecond / measurement.perSecond - 1 };
    });
}
