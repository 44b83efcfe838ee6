import { gridError } from '../../base/errors.ts';
import { IMPORT_BOUNDS } from '../../base/limits.ts';
import { splitList } from '../../base/lists.ts';
import { parametersOfForms } from '../../bulk/source-forms.ts';
import type { Bulk, ImportRequest, ImportTarget, OnDuplicate } from '../../grid/bulk.ts';
import { command, ON_SERVICE } from '../command.ts';
import { audited, flag, importTtlMs, optionalFlag, optionalLong, optionalString, timeToLive } from '../params.ts';
import { importCreating, planImport, type TableRequest } from './new-table.ts';
import {
  dateFormat,
  decimalSeparator,
  delimiter,
  delimiterOf,
  format,
  formatOf,
  formsOf,
  importReply,
  namedCache,
  nullText,
  optionChoice,
  table,
  thousands,
} from './transfer-params.ts';

const ON_DUPLICATE: readonly OnDuplicate[] = ['error', 'replace', 'skip'];
const ID = /^[\w.:-]+$/;

export const importRows = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'import',
  request: 'IMPORT',
  group: 'transfer',
  summary: 'Stores the rows or entries of a CSV or NDJSON body while it arrives.',
  since: '1.1.0',
  access: 'write',
  needs: 'cachePut',
  rightsOn: 'table',
  audit: 'creation',
  body: 'stream',
  batch: 'streams',
  params: {
    table,
    cacheName: namedCache,
    format,
    importId: audited(
      optionalString('importId', 'Id of your choice, with which later requests can continue the import.', true),
    ),
    atomic: flag('atomic', 'Store all records together at the end, or none of them.', false),
    offset: optionalLong('offset', 'Where the body begins in the source, in bytes (default: 0).'),
    last: flag('last', 'The source ends with this body. `false`: later requests continue it.', true),
    onDuplicate: optionChoice(
      'onDuplicate',
      ON_DUPLICATE,
      'What to do with a record whose key exists (default: `error` for tables, `replace` for caches).',
    ),
    onError: optionChoice(
      'onError',
      ['stop', 'skip'],
      'What to do after a record that cannot be stored (default: `stop`).',
    ),
    create: audited(
      flag('create', 'Create the table if it does not exist, with columns inferred from the source.', false),
    ),
    dryRun: flag('dryRun', 'Only return the inferred `plan`, and store nothing.', false),
    types: optionalString(
      'types',
      'Column types of a new table, in place of the inferred ones: `people=varchar,price=decimal(10,2)`.',
      true,
    ),
    key: optionalString('key', 'Primary key of a new table: comma-separated column names.', true),
    rowNumber: optionalString(
      'rowNumber',
      'Table: column that receives the record number, from 1 (default: the key of a new table that has no other).',
      true,
    ),
    header: optionalFlag('header', 'CSV: the first record names the columns.', 'true; inferred with create'),
    columns: optionalString('columns', 'CSV: comma-separated column names in order, in place of the header.', true),
    omit: optionalString('omit', 'Table: comma-separated columns of the source to leave out.', true),
    delimiter,
    nullText,
    dateFormat,
    decimalSeparator,
    thousands,
    keyType: optionalString('keyType', 'Cache: type of the keys (default: text in CSV, as written in JSON).', true),
    valueType: optionalString(
      'valueType',
      'Cache: type of the values (default: text in CSV, as written in JSON).',
      true,
    ),
    ttlMs: importTtlMs,
  },
  reply: importReply('What was stored.'),
  errors: [
    'LIMIT_EXCEEDED',
    'TTL_NEGATIVE',
    'PARAMETER_INVALID',
    'IMPORT_INVALID',
    'IMPORT_REJECTED',
    'IMPORT_CONFLICT',
    'IMPORT_IN_USE',
    'IMPORT_RECORD_TOO_LONG',
    'IMPORTS_BUSY',
    'QUERY_LOST',
    'TABLE_NOT_FOUND',
    'CACHE_NOT_FOUND',
    'BODY_INCOMPLETE',
    'BUFFERS_FULL',
    'REQUEST_TIMEOUT',
    'REGION_FULL',
    'STORAGE_LOW',
    'STORAGE_FULL',
    'READ_ONLY',
    'INACTIVE',
    'NOT_SUPPORTED',
    'QUERY_CANCELLED',
    'QUERY_TIMEOUT',
  ],
  example: {
    query: 'cmd=import&cacheName=default&valueType=long',
    body: { type: 'text/csv', text: 'key,value\na,1\nb,2\n' },
  },
  run(args, context) {
    const { grid, body, owner, tenant, defaultCache } = context;
    const { importId, offset = 0n, last, onError = 'stop', header, columns, atomic, rowNumber, types, key } = args;
    const target = targetOf(args, defaultCache);
    if (body === undefined) throw gridError('IMPORT_BODY_MISSING');
    const sourceFormat = formatOf(args.format, body.type);
    if (sourceFormat === undefined) throw gridError('IMPORT_FORMAT_MISSING', body.type);
    if (importId !== undefined && (importId.length > IMPORT_BOUNDS.idCharacters || !ID.test(importId))) {
      throw gridError(
        'PARAMETER_INVALID',
        'importId',
        importId,
        `at most ${IMPORT_BOUNDS.idCharacters} of A-Z a-z 0-9 _ . : -`,
      );
    }
    if (offset < 0n || offset > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw gridError('PARAMETER_INVALID', 'offset', String(offset), 'a number of bytes');
    }
    if (atomic) {
      const combined = importId !== undefined ? 'importId' : offset !== 0n ? 'offset' : last ? undefined : 'last=false';
      if (combined !== undefined) throw gridError('IMPORT_ATOMIC_OPTION', combined);
    }
    const forms = formsOf(args);
    const [formed] = Object.keys(parametersOfForms(forms));
    const request: ImportRequest = {
      target,
      owner,
      tenant: tenant(),
      format: sourceFormat,
      id: importId,
      header: header ?? true,
      columns: columns === undefined ? undefined : splitList('columns', columns),
      delimiter: delimiterOf(args.delimiter),
      nullText: args.nullText ?? '',
      forms: formed === undefined ? undefined : forms,
      rowNumber,
      omit: args.omit === undefined ? undefined : splitList('omit', args.omit),
      onDuplicate: args.onDuplicate ?? (target.kind === 'table' ? 'error' : 'replace'),
      onError,
      isAtomic: atomic,
      offset: Number(offset),
      isLast: last,
    };
    const bulk = requireBulk(grid.bulk);
    if (!isTableRequest(request)) {
      const needing = Object.entries({
        create: args.create || undefined,
        dryRun: args.dryRun || undefined,
        rowNumber,
        omit: args.omit,
      });
      const [named = formed] = needing.find(([, value]) => value !== undefined) ?? [];
      if (named !== undefined) throw gridError('IMPORT_WITHOUT_TABLE', named);
      return bulk.importRows(request, body.source);
    }
    const given = {
      delimiter: args.delimiter === undefined ? undefined : delimiterOf(args.delimiter),
      header,
      types,
      key,
    };
    const parts = { grid, call: context.call, bulk };
    if (args.dryRun) return planImport(request, given, body.source, parts);
    if (args.create) return importCreating(request, given, body.source, parts);
    return bulk.importRows(request, body.source);
  },
});

function isTableRequest(request: ImportRequest): request is TableRequest {
  return request.target.kind === 'table';
}

/** Throws NOT_SUPPORTED if the engine does not import. */
export function requireBulk(bulk: Bulk | undefined): Bulk {
  if (bulk === undefined) throw gridError('NOT_SUPPORTED', 'import', 'the engine imports nothing');
  return bulk;
}

interface TargetArguments {
  readonly table: string | undefined;
  readonly cacheName: string | undefined;
  readonly keyType: string | undefined;
  readonly valueType: string | undefined;
  readonly ttlMs: bigint | undefined;
}

function targetOf(
  { table, cacheName, keyType, valueType, ttlMs }: TargetArguments,
  defaultCache: string,
): ImportTarget {
  const cache = cacheName ?? defaultCache;
  if (table !== undefined) {
    if (ttlMs !== undefined) {
      throw gridError('PARAMETER_INVALID', 'ttlMs', String(ttlMs), 'absent: rows have the time to live of their table');
    }
    return { kind: 'table', name: table, cache };
  }
  if (cacheName === undefined) throw gridError('IMPORT_TARGET', 'neither is given');
  return { kind: 'cache', cache, keyType, valueType, ttlMs: timeToLive(undefined, ttlMs) };
}
