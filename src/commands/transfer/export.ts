import { GridError, gridError } from '../../base/errors.ts';
import type { ExportForm } from '../../grid/bulk.ts';
import type { CacheDefinition, FieldsQuery, QueryPage, QueryRequest, ScanQuery } from '../../grid/grid.ts';
import {
  hasHiddenKey,
  KEY_COLUMN,
  type NamedTable,
  namedTables,
  quotedTable,
  tableNameOf,
} from '../../grid/table-names.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { EngineServices } from '../context.ts';
import { flag, optionalInteger } from '../params.ts';
import { type Reply, RowsResponse } from '../reply.ts';
import { delimiter, delimiterOf, format, namedCache, nullText, table } from './transfer-params.ts';

/** Maximum number of rows: the only page contains all of them. */
const ALL_ROWS = 2_147_483_647;

const reply: Reply<RowsResponse> = {
  kind: 'rows',
  summary:
    'The rows or entries as NDJSON (`application/x-ndjson`) or CSV (`text/csv`), without the envelope. `import` reads ' +
    'them back. A failure is an envelope; after the first rows, it ends the response early.',
  schema: { type: 'string' },
  write: (result) => result,
};

export const exportRows = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'export',
  request: 'EXPORT',
  group: 'transfer',
  summary: 'Returns all rows of a table or entries of a cache, as one snapshot, which `import` can read.',
  since: '1.1.0',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'table',
  batch: 'returnsRows',
  params: {
    table,
    cacheName: namedCache,
    format,
    header: flag('header', 'CSV: the first line names the columns.', true),
    delimiter,
    nullText,
    skip: optionalInteger(
      'skip',
      'Number of cache entries to skip at the beginning of the export; not on a cluster.',
      '0',
    ),
  },
  reply,
  errors: [
    'PARAMETER_INVALID',
    'IMPORT_INVALID',
    'TABLE_NOT_FOUND',
    'QUERY_CACHE_NOT_FOUND',
    'VALUE_REJECTED',
    'OPERATION_FAILED',
    'QUERIES_BUSY',
    'QUERY_PREEMPTED',
    'OVERLOADED',
    'CURSOR_LIMIT',
    'USER_SHARE',
    'INACTIVE',
    'QUERY_CANCELLED',
    'QUERY_TIMEOUT',
    'QUERY_LOST',
    'QUERY_PROCESS_MEMORY',
    'NOT_SUPPORTED',
  ],
  example: {
    before: [
      {
        query: 'cmd=import&cacheName=default&valueType=long',
        body: { type: 'text/csv', text: 'key,value\na,1\nb,2\n' },
      },
    ],
    query: 'cmd=export&cacheName=default&format=csv',
  },
  async run(args, context) {
    const { grid, owner, defaultCache, rowFormat, notation } = context;
    const rows = args.format ?? (rowFormat === 'json' ? 'ndjson' : rowFormat);
    const { table: written, cacheName, skip = 0 } = args;
    if (skip < 0) throw gridError('PARAMETER_INVALID', 'skip', String(skip), '0 or more');
    if (skip > 0 && written !== undefined) {
      throw gridError(
        'PARAMETER_INVALID',
        'skip',
        String(skip),
        '0 for a table, whose rows a statement skips with OFFSET',
      );
    }
    if (skip > 0 && grid.capabilities.manyNodes) {
      throw gridError('NOT_SUPPORTED', 'skip', 'the entries of a cluster have no order');
    }
    const cache = cacheName ?? defaultCache;
    const form: ExportForm = {
      header: args.header,
      delimiter: delimiterOf(args.delimiter),
      nullText: nullTextOf(args.nullText, delimiterOf(args.delimiter)),
      ...(notation !== undefined && { notation }),
    };
    const common = {
      cache,
      owner,
      sender: context,
      pageSize: ALL_ROWS,
      format: rows,
      export: form,
    } as const;
    if (written !== undefined) return new RowsResponse(await tablePage(grid, written, common), rows);
    if (cacheName === undefined) throw gridError('IMPORT_TARGET', 'neither is given');
    const scan: ScanQuery = { ...common, kind: 'scan', className: undefined, skip };
    return new RowsResponse(await grid.queries.execute(scan), rows);
  },
});

type Common = Omit<QueryRequest, 'kind'> & Pick<FieldsQuery, 'cache'>;

/** Reads the first existing table among those that a name may mean. Throws TABLE_NOT_FOUND. */
async function tablePage(grid: EngineServices, written: string, common: Common): Promise<QueryPage> {
  const candidates = namedTables(written);
  const known = candidates.find((each) => grid.caches.cacheOfTable(each, common.cache) !== undefined);
  // A single-node engine knows all tables. System views are not among them.
  if (known === undefined && !grid.capabilities.manyNodes) throw await unknownTable(grid, written);
  let failure: unknown;
  const definitions = known === undefined ? await grid.caches.list() : [await definitionOf(grid, known, common.cache)];
  for (const each of known === undefined ? candidates : [known]) {
    try {
      const sql = `SELECT ${selectedOf(definitions, each)} FROM ${quotedTable(each)}`;
      return await grid.queries.execute({ ...common, kind: 'fields', sql, args: [] });
    } catch (error) {
      if (!(error instanceof GridError && error.code === 'SQL')) throw error;
      failure ??= error;
    }
  }
  throw failure ?? (await unknownTable(grid, written));
}

function definitionOf({ caches }: EngineServices, table: NamedTable, cache: string) {
  return caches.find(caches.cacheOfTable(table, cache) ?? '');
}

/** Returns the select list for a table: all columns, plus the key or the value if they are not among them. */
function selectedOf(definitions: readonly (CacheDefinition | undefined)[], { schema, name }: NamedTable): string {
  const entity = definitions
    .filter((each) => each !== undefined && (schema === undefined || (each.schema ?? DEFAULT_SCHEMA) === schema))
    .flatMap((each) => each?.entities ?? [])
    .find((each) => tableNameOf(each) === name);
  if (entity === undefined) return '*';
  const { fields, keyFields = [], fromSql } = entity;
  if (hasHiddenKey(entity)) return `${KEY_COLUMN}, *`;
  return fromSql !== true && fields.every(({ name: field }) => keyFields.includes(field)) ? '*, _VAL' : '*';
}

const DEFAULT_SCHEMA = 'PUBLIC';

/** Only callers who may read all caches get this far with a table that does not exist, and they may know all names. */
async function unknownTable(grid: EngineServices, written: string): Promise<GridError> {
  const { nearestTable } = await import('../../bulk/batched/table-target.ts');
  return gridError('TABLE_NOT_FOUND', written, nearestTable(await grid.caches.list(), written));
}

/** Returns the text for NULL. Throws PARAMETER_INVALID for one that an import would not read as NULL. */
function nullTextOf(text: string | undefined, between: string): string {
  if (text === undefined) return '';
  if (!text.includes(between) && !/["\r\n]|^\s|\s$/.test(text)) return text;
  throw gridError(
    'PARAMETER_INVALID',
    'nullText',
    text,
    'a text without delimiters, quotes, line ends and outer blanks',
  );
}
