import { command, ON_SERVICE } from '../command.ts';
import { optionalString, pageSize, queryCacheName, timeLimit } from '../params.ts';
import { pageReply } from '../reply.ts';
import { BEGUN_ERRORS, RUNNING_ERRORS } from './statement-errors.ts';

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
    timeout: timeLimit('Time limit of the scan in milliseconds (default: the option `query.timeout`).'),
  },
  reply: pageReply('scan', 'The first page of keys and values. `last` is false if more entries follow.'),
  errors: [
    'PARAMETER_MISSING',
    'PAGE_SIZE_NEGATIVE',
    'CLASS_NOT_FOUND',
    'CLASS_NOT_A_FILTER',
    'QUERY_CACHE_NAME_EMPTY',
    'QUERY_CACHE_NOT_FOUND',
    'INACTIVE',
    ...RUNNING_ERRORS,
    ...BEGUN_ERRORS,
  ],
  example: { query: 'cmd=qryscanexe&pageSize=10' },
  run({ pageSize, cacheName, className, timeout }, context) {
    const { grid, owner, rowFormat, notation } = context;
    return grid.queries.execute({
      kind: 'scan',
      cache: cacheName,
      owner,
      sender: context,
      pageSize,
      format: rowFormat,
      ...(notation && { notation }),
      timeoutMs: timeout,
      className,
    });
  },
});
