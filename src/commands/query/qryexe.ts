import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { queryArguments } from '../numbered-params.ts';
import {
  checkedByHandler,
  distributedJoins,
  keepBinary,
  optionalString,
  pageSize,
  queryCacheName,
  requireStatement,
  statement,
  statementTimeout,
} from '../params.ts';
import { pageReply } from '../reply.ts';
import { BEGUN_ERRORS, RUNNING_ERRORS, SPILLING_ERRORS } from './statement-errors.ts';

export const qryexe = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'qryexe',
  request: 'EXECUTE_SQL_QUERY',
  group: 'query',
  summary: 'Returns the entries whose values have a type and meet a condition.',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'every',
  params: {
    pageSize,
    cacheName: queryCacheName,
    type: checkedByHandler(optionalString('type', 'Type name of the values.')),
    qry: statement('A condition, or SQL that begins with `where`, `order by`, `from` or `select *`.'),
    args: queryArguments,
    timeout: statementTimeout,
    distributedJoins,
    keepBinary,
  },
  reply: pageReply('type', 'The first page of keys and values. `last` is false if more entries follow.'),
  errors: [
    'PARAMETER_MISSING',
    'PARAMETER_NULL',
    'PAGE_SIZE_NEGATIVE',
    'SQL',
    'SQL_OBJECT_NOT_FOUND',
    'QUERY_TYPE_NOT_FOUND',
    'QUERY_CACHE_NAME_EMPTY',
    'QUERY_CACHE_NOT_FOUND',
    'INACTIVE',
    ...RUNNING_ERRORS,
    ...SPILLING_ERRORS,
    ...BEGUN_ERRORS,
  ],
  example: {
    before: [
      'cmd=qryfldexe&pageSize=1&qry=CREATE+TABLE+IF+NOT+EXISTS+City(id+INT+PRIMARY+KEY,+name+VARCHAR)+WITH+%22cache_name=city,value_type=City%22',
      "cmd=qryfldexe&pageSize=1&qry=MERGE+INTO+City+VALUES(1,'Oslo')",
    ],
    query: 'cmd=qryexe&cacheName=city&type=City&pageSize=10&qry=name+%3D+%3F&arg1=Oslo',
  },
  run({ pageSize, cacheName, type, qry, args, timeout, distributedJoins }, context) {
    const { grid, owner, rowFormat, notation, compatibility } = context;
    const sql = requireStatement(qry, compatibility);
    if (type === undefined) throw gridError('PARAMETER_NULL', 'type', 'type');
    return grid.queries.execute({
      kind: 'type',
      cache: cacheName,
      owner,
      sender: context,
      pageSize,
      format: rowFormat,
      ...(notation && { notation }),
      timeoutMs: timeout,
      typeName: type,
      sql,
      args,
      distributedJoins,
    });
  },
});
