/**
 * `bun bench/scaling.ts`: prints the tables of docs/scaling.md from the measurements of bench/RESULTS.md: what the
 * model predicts for this machine, with its error, and for machines with more cores.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitWaitMicros, predict, readMeasurements } from './scaling-model.ts';

const measurements = readMeasurements(readFileSync(join(import.meta.dir, 'RESULTS.md'), 'utf8'));
function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const waitMicros = commitWaitMicros(measurements);
say(`A commit waits ${waitMicros.toFixed(0)} µs for the disk.\n`);
say('| command | region | CPU µs | predicted/s | measured/s | error |\n|---|---|---|---|---|---|');
const predictions = predict(measurements);
for (const { measurement, perSecond, error } of predictions) {
  const { operation, cache, cpuMicros, perSecond: measured } = measurement;
  const numbers = [cpuMicros.toFixed(1), perSecond.toFixed(0), measured.toFixed(0), `${(100 * error).toFixed(1)} %`];
  say(`| ${operation} | ${cache} | ${numbers.join(' | ')} |`);
}

function demand(title: string, operation: string): number {
  const found = measurements.find(
    (each) =>
      each.title === title && each.operation === operation && each.load === 'sockets' && each.cache === 'durable',
  );
  if (found === undefined) throw new Error(`The report has no ${operation} of ${title}.`);
  return found.cpuMicros;
}

/** CPU time of a request in several threads, and the part of a put that only the writer's thread can do. */
const [get, put, putAlone, getAlone] = [
  demand('svc workers=2', 'get'),
  demand('svc workers=2', 'put'),
  demand('svc workers=1 (beside two)', 'put'),
  demand('svc workers=1 (beside two)', 'get'),
];
/** Share of its time for which a thread should be busy. */
const BUSY = 0.7;
// With one thread, a get is what HTTP costs and a look-up; what a put costs more is the writer's, and with several
// threads also the messages between them.
const writerMicros = putAlone - getAlone + (put - putAlone) / 2;
say(`\nA put needs ${writerMicros.toFixed(1)} µs of the writer's thread.\n`);
say('| cores | HTTP threads | get/s | durable put/s | limit of puts |\n|---|---|---|---|---|');
for (const cores of [2, 4, 8, 16, 32, 64]) {
  const threads = cores - 1;
  const gets = (BUSY * 1e6 * cores) / get;
  const byCores = (BUSY * 1e6 * cores) / put;
  const byWriter = (BUSY * 1e6) / writerMicros;
  const limit = byWriter < byCores ? "the writer's thread" : 'all cores';
  say(`| ${cores} | ${threads} | ${thousands(gets)} | ${thousands(Math.min(byCores, byWriter))} | ${limit} |`);
}

function thousands(number: number): string {
  return `${Math.round(number / 1_000).toLocaleString('en-US')},000`;
}
