/** The rows of a scan: a cache's entries, or those that a predicate accepts. */
import { type GridError, gridError } from '../../../base/errors.ts';
import { missingQueryCache } from '../../../grid/cache-rules.ts';
import type { Column } from '../../../grid/grid.ts';
import { isJavaClass } from '../../../values/type-names.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import { withSqlErrors } from '../shared/sql-failures.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import { attachedPrefix } from '../storage/databases.ts';
import { decodeValue } from '../storage/value-storage.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type ColumnReader, convertedReader, type RowSource, StatementRows } from './rows/row-sources.ts';
import type { StatementWatch } from './statement-watch.ts';

/** Returns a scan's predicate by its class name, or undefined if there is none. */
export type FindPredicate = (className: string) => ((key: Value, value: Value) => boolean) | undefined;

export interface ScanDependencies {
  readonly thread: EngineThread;
  readonly connections: ConnectionPool;
  readonly findPredicate: FindPredicate;
  /** Converts every value sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
}

/** An entry's columns. */
export const KEY_VALUE: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));

/** Starts a scan. Throws CLASS_NOT_FOUND, CLASS_NOT_A_FILTER, CACHE_IS_SYSTEM or QUERY_CACHE_NOT_FOUND. */
export function scanRows(
  { thread, connections, findPredicate, onSend }: ScanDependencies,
  query: Extract<SentQuery, { kind: 'scan' }>,
  watch: StatementWatch,
): RowSource {
  const predicate = query.className === undefined ? undefined : findPredicate(query.className);
  if (query.className !== undefined && predicate === undefined) throw failureOfClass(thread, query.className);
  const handle = thread.registry.find(query.cache);
  if (handle === undefined) throw missingQueryCache(query.cache, thread.registry.cacheOfTable(query.cache));
  const columns = handle.codec.columns.map((column) => `, f${column}`).join('');
  const deadline = query.export === undefined ? '' : ', exp';
  const { skip = 0 } = query;
  const sql = `SELECT kt, k, vt, v${deadline}${columns} FROM ${physicalName(handle)} WHERE exp IS NULL OR exp > ?${skip > 0 ? ' LIMIT -1 OFFSET ?' : ''}`;
  const nowMs = thread.clock.nowMs();
  const bindings = skip > 0 ? [nowMs, skip] : [nowMs];
  const key: ColumnReader = (row) => decodeValue(Number(row.kt), row.k ?? null, thread.names);
  const value: ColumnReader = (row) =>
    handle.codec.value({ ...row, vt: typeof row.vt === 'bigint' ? row.vt : 0n, v: row.v ?? null, exp: null });
  // Otherwise, an import would give the entry the cache's time to live.
  const never: Value = handle.definition.ttlMs === undefined ? NULL : { type: 'long', data: 0n };
  const expires: ColumnReader = ({ exp }) => (typeof exp === 'bigint' ? { type: 'long', data: exp } : never);
  return connections.withConnection((connection) => {
    connection.attach([handle.database]);
    return withSqlErrors(
      sql,
      () =>
        new StatementRows({
          ...connections.start(connection, { sql, functions: [] }, bindings, watch),
          text: sql,
          shape: 'entry',
          columns: KEY_VALUE,
          readers: [convertedReader(key, onSend), convertedReader(value, onSend), expires],
          overCaches: true,
          // A predicate sees stored values, not the interceptor's output for clients.
          accepts: predicate && ((row) => predicate(key(row), value(row))),
          poll: predicate === undefined ? () => {} : watch.poll,
        }),
    );
  });
}

/** Returns the error for a scan whose class is not a predicate. */
function failureOfClass({ settings }: EngineThread, name: string): GridError {
  const { classes = [] } = settings;
  const isClass = isJavaClass(name) || classes.some(({ typeName }) => typeName === name);
  return gridError(isClass ? 'CLASS_NOT_A_FILTER' : 'CLASS_NOT_FOUND', name);
}

function physicalName(handle: CacheHandle): string {
  return `${attachedPrefix(handle.database)}${handle.table}`;
}
