import { command, ON_SERVICE } from '../command.ts';
import { ownerOf } from '../context.ts';
import { optionalLong, optionalString, pageSize, queryCacheName } from '../params.ts';
import { pageReply } from '../reply.ts';
import { timeoutMsOf } from '../statements.ts';

export const qryscanexe = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'qryscanexe',
  request: 'EXECUTE_SCAN_QUERY',
  group: 'query',
  summary: 'Returns all entries of a cache, or those that a configured predicate accepts.',
  access: 'read',
  needs: 'cacheRead',
  params: {
    pageSize,
    cacheName: queryCacheName,
    className: optionalString('className', 'Class name of a configured scan predicate.'),
    timeout: optionalLong('timeout', 'Time limit of the scan in milliseconds (default: the option `query.timeout`).'),
  },
  reply: pageReply('scan', 'The first page of keys and values. `last` is false if more entries follow.'),
  errors: [
    'PARAMETER_MISSING',
    'NOT_A_LONG',
    'NOT_A_NUMBER',
    'PAGE_SIZE_NEGATIVE',
    'CLASS_NOT_FOUND',
    'CLASS_NOT_A_FILTER',
    'QUERY_CACHE_NAME_EMPTY',
    'QUERY_CACHE_NOT_FOUND',
    'QUERY_CANCELLED',
    'QUERY_TIMEOUT',
    'QUERY_LOST',
    'QUERY_MEMORY',
    'QUERY_PROCESS_MEMORY',
    'QUERIES_MEMORY',
    'QUERY_RESULT_BYTES',
    'QUERIES_BUSY',
    'QUERY_PREEMPTED',
    'CURSOR_LIMIT',
    'USER_SHARE',
    'INACTIVE',
  ],
  example: { query: 'cmd=qryscanexe&pageSize=10' },
  run: ({ pageSize, cacheName, className, timeout }, { grid, caller, tenant, rowFormat, notation, signal }) =>
    grid.queries.execute({
      kind: 'scan',
      cache: cacheName,
      owner: ownerOf(caller),
      tenant: tenant(),
      pageSize,
      format: rowFormat,
      ...(notation && { notation }),
      timeoutMs: timeoutMsOf(timeout),
      className,
      signal: signal(),
    }),
});
