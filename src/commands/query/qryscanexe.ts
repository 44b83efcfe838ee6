import { command, ON_SERVICE } from '../command.ts';
import { optionalLong, optionalText, pageSize, queryCacheName } from '../params.ts';
import { pageReply } from '../reply.ts';
import { timeoutMsOf } from '../statements.ts';

export const qryscanexe = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'qryscanexe',
  request: 'EXECUTE_SCAN_QUERY',
  group: 'query',
  summary: 'Goes through the entries of a cache, through a predicate if one is named.',
  access: 'read',
  needs: 'cacheRead',
  params: {
    pageSize,
    cacheName: queryCacheName,
    className: optionalText('className', 'Class name of a scan predicate of the configuration.'),
    timeout: optionalLong('timeout', 'Time limit of the scan in milliseconds; absent: the setting.'),
  },
  reply: pageReply('scan', 'The first page of key and value; `last` is false while entries are left.'),
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
    'QUERY_MEMORY',
    'QUERIES_BUSY',
    'CURSOR_LIMIT',
    'USER_SHARE',
    'INACTIVE',
  ],
  example: { query: 'cmd=qryscanexe&pageSize=10' },
  run: ({ pageSize, cacheName, className, timeout }, { grid, caller, claimant, rowFormat, signal }) =>
    grid.queries.execute({
      kind: 'scan',
      cache: cacheName,
      owner: caller.user,
      claimant: claimant(),
      pageSize,
      format: rowFormat,
      timeoutMs: timeoutMsOf(timeout),
      className,
      signal: signal(),
    }),
});
