import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Tenant } from '../../base/shares.ts';
import type { FieldsQuery, RowFormat } from '../../grid/grid.ts';
import type { Knowledge } from '../../grid/knowledge.ts';
import { analyze, isUserStatement } from '../../sql/analysis/analysis.ts';
import type { Notation } from '../../values/notation.ts';
import type { Value } from '../../values/value.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { Context } from '../context.ts';
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

/** The arguments of the command that the statement has. */
interface StatementArguments {
  readonly pageSize: number;
  readonly cacheName: string;
  readonly args: readonly Value[];
  readonly timeout: number | undefined;
  readonly maxRows: number | undefined;
  readonly distributedJoins: boolean;
}

/**
 * The statement of a request. Most run at once and read no system view, so what only others need is computed when it is
 * read. The getters belong to the class: an object would get its own with each request, which takes longer.
 */
class RequestedStatement implements FieldsQuery {
  readonly kind = 'fields';
  readonly sql: string;
  readonly args: readonly Value[];
  readonly cache: string;
  readonly owner: string;
  readonly pageSize: number;
  readonly maxRows: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly format: RowFormat;
  readonly notation: Notation | undefined;
  readonly distributedJoins: boolean;
  readonly asIgnite: boolean;
  readonly definesAsIgnite: boolean;
  readonly #context: Context;

  constructor(sql: string, args: StatementArguments, context: Context) {
    this.sql = sql;
    this.args = args.args;
    this.cache = args.cacheName;
    this.owner = context.owner;
    this.pageSize = args.pageSize;
    this.maxRows = args.maxRows;
    this.timeoutMs = args.timeout;
    this.format = context.rowFormat;
    this.notation = context.notation;
    this.distributedJoins = args.distributedJoins;
    this.asIgnite = context.compatibilityFlags.igniteSqlValues;
    this.definesAsIgnite = context.compatibilityFlags.igniteDefinitions;
    this.#context = context;
  }

  get tenant(): Tenant {
    return this.#context.tenant();
  }

  get knows(): Knowledge | undefined {
    return this.#context.knowledge()?.knows;
  }

  get signal(): AbortSignal {
    return this.#context.signal();
  }
}

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
    const sql = requireStatement(args.qry, context.compatibilityFlags);
    const analysis = analyze(sql);
    const { kind } = analysis;
    if (isUserStatement(kind)) {
      return runUserStatement(kind, analysis, context.users, context.caller, context.rowFormat);
    }
    const page = context.call({ kind: 'statement', query: new RequestedStatement(sql, args, context) });
    return startMs === undefined ? page : chain(page, (each) => ({ ...each, startMs }));
  },
  preview({ qry, cacheName }, context) {
    const { users, caller, compatibilityFlags } = context;
    const sql = requireStatement(qry, compatibilityFlags);
    const analysis = analyze(sql);
    if (isUserStatement(analysis.kind)) return previewUserStatement(analysis.kind, analysis, users, caller);
    return previewDefinition(sql, cacheName, context);
  },
});
