import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { analyze, isUserStatement } from '../../sql/analysis/analysis.ts';
import { command, ON_SERVICE } from '../command.ts';
import { previewDefinition } from '../definitions.ts';
import { queryArguments } from '../numbered-params.ts';
import {
  distributedJoins,
  flag,
  keepBinary,
  optionalInteger,
  pageSize,
  queryCacheName,
  requireStatement,
  statement,
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
    qry: statement('The SQL statement.'),
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
  run(args, context): MaybePromise<TimedPage> {
    const startMs = args.statistics ? context.clock.monotonicMs() : undefined;
    const sql = requireStatement(args.qry, context.compatibility);
    const analysis = analyze(sql);
    const { kind } = analysis;
    if (isUserStatement(kind)) {
      return runUserStatement(kind, analysis, context.services.users, context.caller, context.rowFormat);
    }
    const page = context.call({
      kind: 'statement',
      query: {
        kind: 'fields',
        sql,
        args: args.args,
        cache: args.cacheName,
        owner: context.owner,
        sender: context,
        pageSize: args.pageSize,
        maxRows: args.maxRows,
        timeoutMs: args.timeout,
        format: context.rowFormat,
        notation: context.notation,
        distributedJoins: args.distributedJoins,
        // Rows 28, 51 and 54 of docs/differences.md.
        asIgnite: context.compatibility === 'reference',
        definesAsIgnite: context.compatibility === 'reference',
      },
    });
    return startMs === undefined ? page : chain(page, (each) => ({ ...each, startMs }));
  },
  preview({ qry, cacheName }, context) {
    const { services, caller, compatibility } = context;
    const sql = requireStatement(qry, compatibility);
    const analysis = analyze(sql);
    if (isUserStatement(analysis.kind)) return previewUserStatement(analysis.kind, analysis, services.users, caller);
    return previewDefinition(sql, cacheName, context);
  },
});
