/** Copies and compares the entries of one cache. */
import { GridError } from '../../base/errors.ts';
import type { Entry, Grid, ScannedEntry } from '../../grid/grid.ts';
import { equalValues, keyOf } from '../../values/equality.ts';
import { formatText } from '../../values/json.ts';
import type { Value } from '../../values/value.ts';
import { Checksum } from './checksum.ts';

/** Source and target of a copy. */
export interface Pair {
  readonly source: Grid;
  readonly target: Grid;
  readonly signal: AbortSignal;
}

/** A description of a difference. */
export type Difference = string;

/** Maximum number of differences to report; the rest are only counted. */
const MAX_REPORTED = 5;
const KEY_CHARACTERS = 80;

/** Collects descriptions of the first differences. */
export class Differences {
  readonly reported: Difference[] = [];
  count = 0;

  add(key: Value, text: string): void {
    if (this.count++ < MAX_REPORTED) this.reported.push(`key ${shown(key)} (${key.type}): ${text}`);
  }
}

/** Errors that concern one value; any other error ends the migration. */
const VALUE_ERRORS: ReadonlySet<string> = new Set([
  'CONVERSION',
  'INCOMPATIBLE_TYPES',
  'VALUE_REJECTED',
  'OPERATION_FAILED',
  'SQL',
  'SQL_CONFLICT',
  'NOT_SUPPORTED',
  'INTERNAL',
]);

export function checkInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

/** Thrown when the user has interrupted the migration. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/**
 * Copies the entries after `position` and calls `onBatch` after each stored batch. Returns the checksum of the entries
 * read and the entries that the target rejected.
 */
export async function copyEntries(
  { source, target, signal }: Pair,
  cache: string,
  position: string | undefined,
  onBatch: (position: string | undefined, count: number) => void,
): Promise<{ readonly read: Checksum; readonly rejected: Differences }> {
  const read = new Checksum();
  const rejected = new Differences();
  for await (const batch of source.transfer.scan(cache, position)) {
    checkInterrupted(signal);
    for (const entry of batch.entries) read.add(entry);
    await store(target, cache, batch.entries, rejected);
    onBatch(batch.position, read.count);
  }
  return { read, rejected };
}

async function store(
  target: Grid,
  cache: string,
  entries: readonly ScannedEntry[],
  rejected: Differences,
): Promise<void> {
  const permanent = entries.filter(({ ttlMs }) => ttlMs === undefined);
  const expiring = entries.filter(({ ttlMs }) => ttlMs !== undefined);
  try {
    if (permanent.length > 0) await target.port.call({ kind: 'putAll', cache, entries: permanent }, {});
  } catch (error) {
    if (!isRejection(error)) throw error;
    // The target rejected one of them. Stored one by one, the others succeed.
    for (const entry of permanent) await storeOne(target, cache, entry, rejected);
  }
  await Promise.all(expiring.map((entry) => storeOne(target, cache, entry, rejected)));
}

async function storeOne(target: Grid, cache: string, entry: ScannedEntry, rejected: Differences): Promise<void> {
  const { key, value, ttlMs } = entry;
  try {
    await target.port.call({ kind: 'put', cache, key, value, ttlMs }, {});
  } catch (error) {
    if (!isRejection(error)) throw error;
    rejected.add(key, `rejected: ${error.message}`);
  }
}

function isRejection(error: unknown): error is GridError {
  return error instanceof GridError && VALUE_ERRORS.has(error.code);
}

/** Computes the checksum of all entries of a cache. */
export async function checksumOf(grid: Grid, cache: string, signal: AbortSignal): Promise<Checksum> {
  const checksum = new Checksum();
  for await (const { entries } of grid.transfer.scan(cache)) {
    checkInterrupted(signal);
    for (const entry of entries) checksum.add(entry);
  }
  return checksum;
}

/** Compares two caches key by key. An entry may have expired since it was copied. */
export async function compareEntries({ source, target, signal }: Pair, cache: string): Promise<Differences> {
  const differences = new Differences();
  for await (const { entries } of source.transfer.scan(cache)) {
    checkInterrupted(signal);
    const others = await valuesOf(target, cache, entries);
    for (const { key, value, ttlMs } of entries) {
      const other = others.get(keyOf(key));
      if (other === undefined && ttlMs === undefined) differences.add(key, 'is missing in the target');
      if (other !== undefined && !equalValues(other, value))
        differences.add(key, 'has a different value in the target');
    }
  }
  for await (const { entries } of target.transfer.scan(cache)) {
    checkInterrupted(signal);
    const others = await valuesOf(source, cache, entries);
    for (const { key, ttlMs } of entries) {
      if (!others.has(keyOf(key)) && ttlMs === undefined) differences.add(key, 'exists only in the target');
    }
  }
  return differences;
}

async function valuesOf(grid: Grid, cache: string, entries: readonly Entry[]): Promise<ReadonlyMap<string, Value>> {
  const keys = entries.map(({ key }) => key);
  const found = await grid.port.call({ kind: 'getAll', cache, keys }, {});
  return new Map(found.map(({ key, value }) => [keyOf(key), value]));
}

function shown(key: Value): string {
  const text = formatText(key);
  return text.length > KEY_CHARACTERS ? `${text.slice(0, KEY_CHARACTERS)}...` : text;
}
