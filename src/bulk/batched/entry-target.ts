/** A cache's entries as the target of an import in batches. */
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import type { ImportRequest, ImportTarget } from '../../grid/bulk.ts';
import type { Grid } from '../../grid/grid.ts';
import { keyOf } from '../../values/equality.ts';
import { formatText } from '../../values/json.ts';
import type { TypeRegistry } from '../../values/value.ts';
import {
  checkEntryColumns,
  decodeEntry,
  ENTRY_COLUMNS,
  type EntryDecoderOptions,
  type ImportedEntry,
} from '../entry-records.ts';
import type { RecordResult } from '../import-sink.ts';
import { type BatchedTarget, failureOf, several } from './batch-sink.ts';

/** Maximum number of concurrent requests for single entries. */
const AT_ONCE = 64;

export interface EntryTargetOptions extends Pick<EntryDecoderOptions, 'serviceName' | 'onReceive' | 'limits'> {
  readonly grid: Pick<Grid, 'port' | 'caches' | 'types'>;
  readonly clock: Clock;
}

/** Throws CACHE_NOT_FOUND. */
export async function entryTarget(
  options: EntryTargetOptions,
  { onDuplicate }: ImportRequest,
  target: Extract<ImportTarget, { kind: 'cache' }>,
): Promise<BatchedTarget<ImportedEntry>> {
  const { grid, clock } = options;
  const { cache } = target;
  if ((await grid.caches.find(cache)) === undefined) throw gridError('CACHE_NOT_FOUND', cache);
  const types: TypeRegistry = {
    find: (name) => grid.types.find(name, cache),
    ...(grid.types.isPartial === true && { isPartial: true }),
  };
  const decoder = { ...options, ...target, types };

  async function storeOne({ key, value, expiresMs }: ImportedEntry): Promise<RecordResult> {
    const leftMs = typeof expiresMs === 'number' ? BigInt(Math.ceil(expiresMs - clock.nowMs())) : expiresMs;
    if (typeof leftMs === 'bigint' && leftMs <= 0n) return 'skipped';
    const ttlMs = leftMs === undefined ? target.ttlMs : leftMs;
    try {
      if (onDuplicate === 'replace') {
        await grid.port.call({ kind: 'put', cache, key, value, ttlMs }, {});
        return 'stored';
      }
      if (await grid.port.call({ kind: 'putIfAbsent', cache, key, value, ttlMs }, {})) return 'stored';
      return onDuplicate === 'skip' ? 'skipped' : { reason: gridError('KEY_EXISTS', formatText(key)).message };
    } catch (error) {
      return failureOf(error);
    }
  }

  async function replaceAll(batch: readonly ImportedEntry[]): Promise<readonly RecordResult[]> {
    // Of several entries with the same key, the last one remains, as if they were stored one after another.
    const last = new Map(batch.map((entry) => [keyOf(entry.key), entry]));
    try {
      await grid.port.call({ kind: 'putAll', cache, entries: [...last.values()], ttlMs: target.ttlMs }, {});
      return batch.map(() => 'stored');
    } catch (error) {
      failureOf(error);
      // One of them is rejected: stored one by one, each has a separate outcome.
      return several(batch, 1, storeOne);
    }
  }

  return {
    columns: ENTRY_COLUMNS,
    checkColumns: checkEntryColumns,
    prepare: (fields) => decodeEntry(fields, decoder),
    store(batch) {
      const isPlain = onDuplicate === 'replace' && batch.every(({ expiresMs }) => expiresMs === undefined);
      // Entries with the same key must be stored in order.
      const isUnique = new Set(batch.map(({ key }) => keyOf(key))).size === batch.length;
      return isPlain ? replaceAll(batch) : several(batch, isUnique ? AT_ONCE : 1, storeOne);
    },
  };
}
