/** The workloads as system-independent steps: every system executes the same keys and values in the same order. */
import { changedValuesOf, keysOf, seeded, valueText, type Workload } from '../workload.ts';

export type Step =
  | { readonly kind: 'read'; readonly key: number }
  | { readonly kind: 'update'; readonly key: number; readonly value: string }
  | { readonly kind: 'increment'; readonly counter: number }
  | { readonly kind: 'readMany'; readonly keys: readonly number[] }
  | { readonly kind: 'writeMany'; readonly entries: ReadonlyArray<readonly [key: number, value: string]> }
  /** Reads the rows whose `code` is in `from`..`from + JOINED_ROWS - 1` with the titles of their kinds. */
  | { readonly kind: 'join'; readonly from: number };

/** One or several steps; each starts when the previous one is answered. */
export type Operation = readonly [Step, ...Step[]];

export const WORKLOADS = [
  'ycsb-a',
  'ycsb-b',
  'ycsb-c',
  'ycsb-f',
  'counters',
  'bulk-read',
  'bulk-write',
  'join',
] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

/** Their descriptions in the report. */
export const DESCRIPTIONS: Readonly<Record<WorkloadName, string>> = {
  'ycsb-a': 'half reads, half updates',
  'ycsb-b': '95 % reads, 5 % updates',
  'ycsb-c': 'reads',
  'ycsb-f': 'half reads, half reads that are followed by an update of the same key, in two requests',
  counters: 'additions of 1 to one of 100 counters',
  'bulk-read': 'reads of 100 keys in a request',
  'bulk-write': 'updates of 100 keys in a request, all of them or none',
  join: 'an indexed range of 100 rows, joined with a table of 100 rows',
};

export const COUNTERS = 100;
export const JOINED_ROWS = 100;
export const KINDS = 100;
const KEYS_IN_BULK = 100;
const SINGLE = 30_000;
const BULK = 1_000;
/** Maximum bytes of the values in half of a list. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** Coprime with the numbers of entries, so that neighbours by `code` are far apart by key. */
const STRIDE = 7_919;
const CHANCE_SEED = 777;

/** Returns the operations of a workload, the same ones in every run. */
export function operationsOf(name: WorkloadName, workload: Workload): Operation[] {
  const value = changedValuesOf(workload);
  let key = keysOf(workload);
  const from = keysOf(workload, workload.entries - JOINED_ROWS);
  let chance = seeded(CHANCE_SEED);
  const read = (): Step => ({ kind: 'read', key: key() });
  const entry = (next: number) => [next, value(next)] as const;
  const update = (next = key()): Step => ({ kind: 'update', key: next, value: entry(next)[1] });
  const many = () => Array.from({ length: KEYS_IN_BULK }, () => key());
  const mixed = (shareOfReads: number) => (): Operation => [chance() < shareOfReads ? read() : update()];
  const create: Readonly<Record<WorkloadName, () => Operation>> = {
    'ycsb-a': mixed(0.5),
    'ycsb-b': mixed(0.95),
    'ycsb-c': mixed(1),
    'ycsb-f'() {
      if (chance() < 0.5) return [read()];
      const next = key();
      return [{ kind: 'read', key: next }, update(next)];
    },
    counters: () => [{ kind: 'increment', counter: key() % COUNTERS }],
    'bulk-read': () => [{ kind: 'readMany', keys: many() }],
    // etcd rejects requests that write a key twice, and Ignite blocks when others write its keys in another order.
    'bulk-write': () => [{ kind: 'writeMany', entries: [...new Set(many())].sort((a, b) => a - b).map(entry) }],
    join: () => [{ kind: 'join', from: from() }],
  };
  const bytes = workload.valueBytes * (name === 'bulk-write' ? KEYS_IN_BULK : 1);
  const count = name.startsWith('bulk') ? BULK : SINGLE;
  const length = Math.min(count, Math.floor(MOST_BYTES / bytes));
  const operations = Array.from({ length }, create[name]);
  // Each key is in the list twice (changedValuesOf).
  key = keysOf(workload);
  chance = seeded(CHANCE_SEED);
  return [...operations, ...Array.from({ length }, create[name])];
}

/** A row of the table of the join. */
export interface Row {
  readonly id: number;
  readonly name: string;
  readonly code: number;
  readonly kind: number;
}

/** Returns the rows `start`..`start + count - 1`, as many as there are. */
export function rowsOf(workload: Workload, start: number, count: number): Row[] {
  const length = Math.max(0, Math.min(count, workload.entries - start));
  return Array.from({ length }, (_, at) => {
    const id = start + at;
    return { id, name: valueText(id, workload), code: (id * STRIDE) % workload.entries, kind: id % KINDS };
  });
}
