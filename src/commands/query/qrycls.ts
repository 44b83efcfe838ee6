import { command, ON_SERVICE } from '../command.ts';
import { qryId } from '../params.ts';
import { trueReply } from '../reply.ts';

export const qrycls = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'qrycls',
  request: 'CLOSE_SQL_QUERY',
  group: 'query',
  summary: 'Closes a query cursor and cancels its statement if it is still running.',
  access: 'read',
  needs: 'session',
  cursor: 'qryId',
  params: { qryId },
  reply: trueReply('Always true, even if there is no such cursor.'),
  errors: ['INACTIVE'],
  example: { before: ['cmd=qryscanexe&pageSize=0'], query: 'cmd=qrycls&qryId={queryId}', response: true },
  run({ qryId }, { grid, owner }) {
    const id = Number(qryId);
    return Number.isSafeInteger(id) ? grid.queries.close(id, owner) : undefined;
  },
});
