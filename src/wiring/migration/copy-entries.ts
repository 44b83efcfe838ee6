/** The entries of one cache: copying them, and finding out what differs. */
import { GridError } from '../../base/errors.ts';
import type { Entry, Grid, ScannedEntry } from '../../grid/grid.ts';
import { equalValues, keyOf } from '../../values/equality.ts';
import { formatText } from '../../values/json.ts';
import type { Value } from '../../values/value.ts';
import { Checksum } from './checksum.ts';

/** Two grids with what is copied from the first to the second. */
export interface Pair {
  readonly source: Grid;
  readonly target: Grid;
  readonly signal: AbortSignal;
}

/** Something that is not the same in both, in words. */
export type Difference = string;

/** Differences that are told; the others are counted. */
const TOLD = 5;
const KEY_CHARACTERS = 80;

/** Differences in words, the first ones only. */
export class Differences {
  readonly told: Difference[] = [];
  count = 0;

  add(key: Value, text: string): void {
    if (this.count++ < TOLD) this.told.push(`key ${shown(key)} (${key.type}): ${text}`);
  }
}

/** Refusals of the value that was to be stored; any other says that the target cannot go on. */
const REFUSALS_OF_VALUES: ReadonlySet<string> = new Set([
  'CONVERSION',
  'INCOMPATIBLE_TYPES',
  'OPERATION_FAILED',
  'SQL',
  'SQL_CONFLICT',
  'NOT_SUPPORTED',
  'INTERNAL',
]);

export function checkInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

/** The user has ended the migration. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/**
 * Copies what follows `position`. `onBatch` is told after each batch has arrived. Gives the checksum of what was read,
 * and what the target refused.
 */
export async function copyEntries(
  { source, target, signal }: Pair,
  cache: string,
  position: string | undefined,
  onBatch: (position: string | undefined, count: number) => void,
): Promise<{ readonly read: Checksum; readonly refused: Differences }> {
  const read = new Checksum();
  const refused = new Differences();
  for await (const batch of source.transfer.scan(cache, position)) {
    checkInterrupted(signal);
    for (const entry of batch.entries) read.add(entry);
    await store(target, cache, batch.entries, refused);
    onBatch(batch.position, read.count);
  }
  return { read, refused };
}

async function store(
  target: Grid,
  cache: string,
  entries: readonly ScannedEntry[],
  refused: Differences,
): Promise<void> {
  const lasting = entries.filter(({ ttlMs }) => ttlMs === undefined);
  const ending = entries.filter(({ ttlMs }) => ttlMs !== undefined);
  try {
    if (lasting.length > 0) await target.entries.putAll(cache, lasting);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // One of them is refused: each by itself, so that the others arrive.
    for (const entry of lasting) await storeOne(target, cache, entry, refused);
  }
  await Promise.all(ending.map((entry) => storeOne(target, cache, entry, refused)));
}

async function storeOne(target: Grid, cache: string, entry: ScannedEntry, refused: Differences): Promise<void> {
  try {
    await target.entries.put(cache, entry.key, entry.value, entry.ttlMs);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refused.add(entry.key, `refused: ${error.message}`);
  }
}

function isRefusal(error: unknown): error is GridError {
  return error instanceof GridError && REFUSALS_OF_VALUES.has(error.code);
}

/** Checksum of everything in a cache. */
export async function checksumOf(grid: Grid, cache: string, signal: AbortSignal): Promise<Checksum> {
  const checksum = new Checksum();
  for await (const { entries } of grid.transfer.scan(cache)) {
    checkInterrupted(signal);
    for (const entry of entries) checksum.add(entry);
  }
  return checksum;
}

/** What differs, key by key. An entry whose life was limited may have ended since it was copied. */
export async function compareEntries({ source, target, signal }: Pair, cache: string): Promise<Differences> {
  const differences = new Differences();
  for await (const { entries } of source.transfer.scan(cache)) {
    checkInterrupted(signal);
    const others = await valuesOf(target, cache, entries);
    for (const { key, value, ttlMs } of entries) {
      const other = others.get(keyOf(key));
      if (other === undefined && ttlMs === undefined) differences.add(key, 'is missing in the target');
      if (other !== undefined && !equalValues(other, value)) differences.add(key, 'has another value in the target');
    }
  }
  for await (const { entries } of target.transfer.scan(cache)) {
    checkInterrupted(signal);
    const others = await valuesOf(source, cache, entries);
    for (const { key, ttlMs } of entries) {
      if (!others.has(keyOf(key)) && ttlMs === undefined) differences.add(key, 'is in the target only');
    }
  }
  return differences;
}

async function valuesOf(grid: Grid, cache: string, entries: readonly Entry[]): Promise<ReadonlyMap<string, Value>> {
  const found = await grid.entries.getAll(
    cache,
    entries.map(({ key }) => key),
  );
  return new Map(found.map(({ key, value }) => [keyOf(key), value]));
}

function shown(key: Value): string {
  const text = formatText(key);
  return text.length > KEY_CHARACTERS ? `${text.slice(0, KEY_CHARACTERS)}...` : text;
}
