/** The port's transfer: scans caches in key order on separate connections, and copies definitions and counters. */
import type { Statement } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { CacheRules } from '../../../grid/cache-rules.ts';
import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import type {
  CacheDefinition,
  Counter,
  EntityField,
  EntryBatch,
  QueryEntity,
  ScannedEntry,
  Transfer,
} from '../../../grid/grid.ts';
import type { CacheHandle, CacheRegistry } from '../ddl/cache-registry.ts';
import {
  DATA_DATABASE,
  databaseOf,
  databasePath,
  openForReading,
  prepare,
  type ReadConnections,
} from '../storage/databases.ts';
import { remainingMs } from '../storage/deadlines.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { reading } from '../storage/storage-failures.ts';
import {
  type Binding,
  decodeText,
  decodeValue,
  type Row,
  type StorageValue,
  type TypeNames,
} from '../storage/value-storage.ts';
import type { ChangeChannel } from '../writer/changes.ts';

/** A batch ends at this number of rows, or of characters and bytes. */
const BATCH_ROWS = 1_000;
const BATCH_SIZE = 4 * 1024 * 1024;

interface KeyedRow extends Row {
  readonly kt: bigint;
  readonly k: StorageValue;
}

export interface TransferOptions {
  readonly registry: CacheRegistry;
  readonly names: TypeNames;
  readonly reads: ReadConnections;
  readonly shared: SharedState;
  readonly changes: ChangeChannel;
  readonly rules: CacheRules;
  readonly clock: Clock;
}

export class EmbeddedTransfer implements Transfer {
  readonly #options: TransferOptions;

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  async *scan(cache: string, position?: string): AsyncGenerator<EntryBatch> {
    const { registry, reads, shared } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    const handle = registry.require(cache);
    const database = reading(() => openForReading(databasePath(reads.files, handle.database, shared.epoch())));
    try {
      const columns = handle.codec.columns.map((column) => `, f${column}`).join('');
      // Each batch runs a separate statement, so no snapshot is held between batches.
      using next = prepare<KeyedRow>(
        database,
        `SELECT kt, k, vt, v, exp${columns} FROM ${handle.table}
        WHERE (k, kt) > (?2, ?1) AND (exp IS NULL OR exp > ?3) ORDER BY k, kt LIMIT ${BATCH_ROWS}`,
      );
      let last = position === undefined ? FIRST : readPosition(position);
      for (;;) {
        const batch = reading(() => this.#batch(next, handle, last));
        if (batch.entries.length === 0) return;
        last = batch.last;
        yield { entries: batch.entries, position: writePosition(batch.last) };
      }
    } finally {
      database.close(true);
    }
  }

  define(definition: CacheDefinition): Promise<boolean> {
    const region =
      this.#options.rules.regions.get(definition.region) ?? this.#options.rules.regions.get(DEFAULT_REGION);
    if (!region) throw gridError('REGION_NOT_FOUND', definition.region, [...this.#options.rules.regions.keys()]);
    const entities = definition.entities.map(withKeyNotNull);
    const own = { ...definition, entities, region: region.name, persistent: region.persistent };
    return this.#options.changes.submit('defineCache', { definition: own });
  }

  views(): Array<{ readonly name: string; readonly query: string }> {
    const { reads, shared } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    return reading(() => {
      const connection = reads.get(DATA_DATABASE);
      connection.refresh();
      using all = prepare<{ schema: string; name: string; query: string }>(
        connection.database,
        'SELECT schema, name, query FROM views ORDER BY schema, name',
      );
      return all.all().map(({ schema, name, query }) => ({ name: `${schema}.${name}`, query }));
    });
  }

  counters(): Counter[] {
    const { reads, shared, clock } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    return reading(() => {
      const connection = reads.get(databaseOf(reads.files, DEFAULT_REGION));
      connection.refresh();
      using all = prepare<{ name: StorageValue; value: bigint; exp: bigint | null }>(
        connection.database,
        'SELECT name, value, exp FROM counters WHERE exp IS NULL OR exp > ?',
      );
      const nowMs = clock.nowMs();
      return all
        .all(nowMs)
        .map(({ name, value, exp }) => ({
          name: decodeText(name),
          value,
          ...(exp !== null && { ttlMs: remainingMs(exp, nowMs) }),
        }))
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    });
  }

  #batch(next: Statement<KeyedRow, Binding[]>, handle: CacheHandle, after: StoredKey) {
    const nowMs = this.#options.clock.nowMs();
    const entries: ScannedEntry[] = [];
    let last = after;
    let size = 0;
    for (const row of next.iterate(after.type, after.storageValue, nowMs)) {
      const key = decodeValue(Number(row.kt), row.k, this.#options.names);
      const value = handle.codec.value(row);
      entries.push(row.exp === null ? { key, value } : { key, value, ttlMs: remainingMs(row.exp, nowMs) });
      last = { type: row.kt, storageValue: row.k };
      for (const name in row) size += sizeOf(row[name] ?? null);
      if (size >= BATCH_SIZE) break;
    }
    return { entries, last };
  }
}

/** Marks the primary key columns of a table as not null, because definitions from a cluster do not. */
function withKeyNotNull(entity: QueryEntity): QueryEntity {
  if (entity.fromSql !== true) return entity;
  const isKey = (field: EntityField): boolean => entity.keyFields?.includes(field.name) === true;
  return { ...entity, fields: entity.fields.map((field) => (isKey(field) ? { ...field, notNull: true } : field)) };
}

function sizeOf(storageValue: StorageValue): number {
  return typeof storageValue === 'string' || storageValue instanceof Uint8Array ? storageValue.length : 8;
}

/** A key as stored. */
interface StoredKey {
  readonly type: bigint;
  readonly storageValue: StorageValue;
}

/** The position before every key: no storage value is lower, and types begin at 0. */
const FIRST: StoredKey = { type: -1n, storageValue: Number.NEGATIVE_INFINITY };

/** Formats a key: the type code, a letter for the kind of storage value, and the storage value. */
function writePosition({ type, storageValue }: StoredKey): string {
  if (typeof storageValue === 'bigint') return `${type} i${storageValue}`;
  if (typeof storageValue === 'number') return `${type} r${formatNumber(storageValue)}`;
  if (typeof storageValue === 'string') return `${type} t${Buffer.from(storageValue, 'utf8').toString('base64')}`;
  return `${type} b${Buffer.from(storageValue ?? []).toString('base64')}`;
}

function readPosition(position: string): StoredKey {
  const [, type = '', kind, rest = ''] = /^(\d+) ([irtb])(.*)$/s.exec(position) ?? [];
  switch (kind) {
    case 'i':
      return { type: BigInt(type), storageValue: BigInt(rest) };
    case 'r':
      return { type: BigInt(type), storageValue: Number(rest) };
    case 't':
      return { type: BigInt(type), storageValue: Buffer.from(rest, 'base64').toString('utf8') };
    case 'b':
      return { type: BigInt(type), storageValue: new Uint8Array(Buffer.from(rest, 'base64')) };
    default:
      throw gridError('SCAN_POSITION_INVALID', position);
  }
}

function formatNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
