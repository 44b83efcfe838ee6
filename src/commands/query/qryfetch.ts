import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { pageSize, qryId } from '../params.ts';
import { pageReply } from '../reply.ts';
import { RUNNING_ERRORS, SPILLING_ERRORS } from './statement-errors.ts';

export const qryfetch = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'qryfetch',
  request: 'FETCH_SQL_QUERY',
  group: 'query',
  summary: 'Returns the next page of a query.',
  access: 'read',
  needs: 'session',
  cursor: 'qryId',
  params: { pageSize, qryId },
  reply: pageReply('fetch', 'The next page. `last` is false if more rows follow.'),
  errors: [
    'PAGE_SIZE_NEGATIVE',
    'QUERY_NOT_FOUND',
    'QUERY_BUSY',
    'QUERY_ELSEWHERE',
    'INACTIVE',
    ...RUNNING_ERRORS,
    ...SPILLING_ERRORS,
  ],
  example: {
    before: ['cmd=qryscanexe&pageSize=0'],
    query: 'cmd=qryfetch&pageSize=10&qryId={queryId}',
  },
  run({ pageSize, qryId }, { grid, owner, rowFormat, signal }) {
    const id = Number(qryId);
    if (!Number.isSafeInteger(id)) throw gridError('QUERY_NOT_FOUND', qryId);
    return grid.queries.fetch(id, pageSize, owner, rowFormat, signal());
  },
});
