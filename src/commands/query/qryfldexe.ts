import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { FieldsQuery } from '../../grid/queries.ts';
import { analyze, isUserStatement } from '../../sql/analysis/analysis.ts';
import { command, ON_SERVICE } from '../command.ts';
import { previewDefinition } from '../definitions.ts';
import { queryArguments } from '../numbered-params.ts';
import {
  checkedByHandler,
  distributedJoins,
  flag,
  keepBinary,
  optionalInteger,
  optionalString,
  pageSize,
  queryCacheName,
  requireStatement,
  statementTimeout,
} from '../params.ts';
import { pageReply, type TimedPage } from '../reply.ts';
import { previewUserStatement, runUserStatement } from '../user-statements.ts';
import { BEGUN_ERRORS, RUNNING_ERRORS, SPILLING_ERRORS } from './statement-errors.ts';

export const qryfldexe = command({
  ...ON_SERVICE,
  batch: 'atomic',
  failures: 'bare',
  name: 'qryfldexe',
  request: 'EXECUTE_SQL_FIELDS_QUERY',
  group: 'query',
  summary: 'Executes an SQL statement and returns the first page of rows.',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'statement',
  subject: 'qry',
  audit: 'statement',
  params: {
    pageSize,
    cacheName: queryCacheName,
    qry: checkedByHandler(optionalString('qry', 'The SQL statement.')),
    args: queryArguments,
    timeout: statementTimeout,
    maxRows: optionalInteger('maxRows', 'Maximum number of rows to return.'),
    statistics: flag(
      'statistics',
      'Also return the number of rows of the page (`rowCount`) and the elapsed time (`timeMs`).',
      false,
    ),
    distributedJoins,
    keepBinary,
  },
  reply: pageReply('fields', 'The first page. `last` is false if more rows follow.'),
  errors: [
    'PARAMETER_MISSING',
    'PARAMETER_NULL',
    'PAGE_SIZE_NEGATIVE',
    'SQL',
    'SQL_OBJECT_NOT_FOUND',
    'SQL_CONFLICT',
    'QUERY_CACHE_NAME_EMPTY',
    'QUERY_CACHE_NOT_FOUND',
    'WRITE_LOCK_TIME',
    'REGION_FULL',
    'READ_ONLY',
    'INACTIVE',
    'SECURITY_DISABLED',
    'USER_OPERATION',
    'USER_EXISTS',
    'USER_NOT_FOUND',
    ...RUNNING_ERRORS,
    ...SPILLING_ERRORS,
    ...BEGUN_ERRORS,
  ],
  example: { query: 'cmd=qryfldexe&pageSize=10&qry=SELECT+1' },
  run(
    { pageSize, cacheName, qry, args, timeout, maxRows, statistics, distributedJoins },
    { call, users, caller, owner, tenant, knowledge, compatibilityFlags, rowFormat, notation, limits, clock, signal },
  ): MaybePromise<TimedPage> {
    const startMs = statistics ? clock.monotonicMs() : undefined;
    const sql = requireStatement(qry, limits, compatibilityFlags);
    const analysis = analyze(sql);
    const { kind } = analysis;
    if (isUserStatement(kind)) return runUserStatement(kind, analysis, users, caller, rowFormat);
    const query: FieldsQuery = {
      kind: 'fields',
      cache: cacheName,
      owner,
      // Created on demand, like the signal: most statements run at once, and read no system view.
      get tenant() {
        return tenant();
      },
      get knows() {
        return knowledge()?.knows;
      },
      pageSize,
      format: rowFormat,
      notation,
      timeoutMs: timeout,
      sql,
      args,
      distributedJoins,
      get signal() {
        return signal();
      },
      asIgnite: compatibilityFlags.igniteSqlValues,
      definesAsIgnite: compatibilityFlags.igniteDefinitions,
      maxRows,
    };
    const page = call({ kind: 'statement', query });
    return startMs === undefined ? page : chain(page, (each) => ({ ...each, startMs }));
  },
  preview({ qry, cacheName }, context) {
    const { users, caller, compatibilityFlags, limits } = context;
    const sql = requireStatement(qry, limits, compatibilityFlags);
    const analysis = analyze(sql);
    if (isUserStatement(analysis.kind)) return previewUserStatement(analysis.kind, analysis, users, caller);
    return previewDefinition(sql, cacheName, context);
  },
});
