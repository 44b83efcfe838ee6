/**
 * The workloads of all benchmarks: how many entries or rows there are, which keys the requests have, how large the
 * values are. Every run has the same keys and values.
 */
import type { MeasuredServer } from './servers.ts';

const DISTRIBUTIONS = ['uniform', 'zipf'] as const;
/** `zipf`: a few keys have most of the requests, as in YCSB, and are far apart. */
export type Distribution = (typeof DISTRIBUTIONS)[number];

export interface Workload {
  readonly entries: number;
  readonly distribution: Distribution;
  readonly valueBytes: number;
}

/** The options of a program for `parseArgs`; each is one value or several, separated by commas. */
export const workloadOptions = {
  entries: { type: 'string', default: '100000,1000000' },
  distribution: { type: 'string', default: DISTRIBUTIONS.join(',') },
  'value-bytes': { type: 'string', default: '100,1024' },
} as const;

/** The same options for programs that measure a single workload by default. */
export const oneWorkloadOptions = {
  entries: { type: 'string', default: '100000' },
  distribution: { type: 'string', default: 'uniform' },
  'value-bytes': { type: 'string', default: '100' },
} as const;

/** Returns all combinations; those that share the stored data are consecutive. */
export function workloadsOf(values: Readonly<Record<keyof typeof workloadOptions, string>>): Workload[] {
  const distributions = values.distribution.split(',').map((name) => {
    const found = DISTRIBUTIONS.find((each) => each === name);
    if (found === undefined) throw new Error(`--distribution has some of ${DISTRIBUTIONS.join(', ')}`);
    return found;
  });
  return numbersOf('value-bytes', values['value-bytes']).flatMap((valueBytes) =>
    numbersOf('entries', values.entries).flatMap((entries) =>
      distributions.map((distribution) => ({ entries, distribution, valueBytes })),
    ),
  );
}

/** Returns the workload of a program that measures only one. */
export function oneWorkload(values: Readonly<Record<keyof typeof workloadOptions, string>>): Workload {
  const [workload, further] = workloadsOf(values);
  if (workload === undefined || further !== undefined)
    throw new Error('the options of the workload have one value each');
  return workload;
}

function numbersOf(option: string, list: string): number[] {
  const numbers = list.split(',').map(Number);
  if (!numbers.every((each) => Number.isSafeInteger(each) && each > 0))
    throw new Error(`--${option} has whole numbers`);
  return numbers;
}

export function shownWorkload({ entries, distribution, valueBytes }: Workload): string {
  return `${entries} entries, ${distribution} keys, ${valueBytes} bytes`;
}

/** Returns a generator of the same numbers from 0 to 1 in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SKEW = 0.99;

/** Returns a generator of keys from 0 to `below` - 1 with the distribution of a workload. */
export function keysOf({ entries, distribution }: Workload, below = entries, seed = 12_345): () => number {
  const random = seeded(seed);
  if (distribution === 'uniform') return () => Math.floor(random() * below);
  // Gray et al., Quickly generating billion-record synthetic databases, SIGMOD 1994.
  const zeta = (count: number): number => {
    let sum = 0;
    for (let rank = 1; rank <= count; rank++) sum += rank ** -SKEW;
    return sum;
  };
  const total = zeta(below);
  const exponent = 1 / (1 - SKEW);
  const eta = (1 - (2 / below) ** (1 - SKEW)) / (1 - zeta(2) / total);
  return () => {
    const u = random();
    const reached = u * total;
    if (reached < 1) return scramble(0) % below;
    if (reached < 1 + 0.5 ** SKEW) return scramble(1) % below;
    return scramble(Math.min(below - 1, Math.floor(below * (eta * u - eta + 1) ** exponent))) % below;
  };
}

/** Scatters frequent keys over all (FNV-1a of the four bytes of a rank). */
function scramble(rank: number): number {
  let hash = 0x811c9dc5;
  for (let shift = 0; shift < 32; shift += 8) hash = Math.imul(hash ^ ((rank >>> shift) & 0xff), 0x01000193);
  return hash >>> 0;
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const random = seeded(54_321);
const CHARACTERS = Array.from({ length: 1 << 16 }, () => DIGITS[Math.floor(random() * DIGITS.length)]).join('');

/** Returns a value of this many bytes that hardly compresses and needs no escapes in a URL. */
export function valueText(number: number, { valueBytes }: Pick<Workload, 'valueBytes'>): string {
  const head = `${number}-`;
  const from = (Math.imul(number, 7_919) >>> 0) % Math.max(1, CHARACTERS.length - valueBytes);
  return (head + CHARACTERS.slice(from, from + valueBytes)).slice(0, Math.max(head.length, valueBytes));
}

/**
 * Returns a generator of the values that changes store: no value equals the previous one of its key. A server that
 * finds the same value need not write, and so need not wait for the disk. In a list that is sent repeatedly, this
 * requires that each key is in it twice.
 */
export function changedValuesOf(workload: Workload): (key: number) => string {
  let written = 0;
  return (key) => valueText(key + ++written, workload);
}

/** Bytes of a form that every measured server accepts. */
const MOST_FORM_BYTES = 150_000;

/** Stores the entries `from`..`entries - 1` of a workload, in batches. */
export async function fill(server: MeasuredServer, cache: string, workload: Workload, from = 0): Promise<void> {
  const { entries, valueBytes } = workload;
  const url = `http://127.0.0.1:${server.port}${server.path}`;
  const batch = Math.max(1, Math.min(server.batch, Math.floor(MOST_FORM_BYTES / (valueBytes + 20))));
  for (let start = from; start < entries; start += batch) {
    const pairs = Array.from({ length: Math.min(batch, entries - start) }, (_, at) => {
      return `&k${at + 1}=${start + at}&v${at + 1}=${valueText(start + at, workload)}`;
    });
    const body = `cmd=putall&cacheName=${cache}${pairs.join('')}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { error: string | null };
    if (answer.error !== null) throw new Error(`Filling ${cache}: ${answer.error}`);
  }
}
