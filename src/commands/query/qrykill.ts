import { gridError } from '../../base/errors.ts';
import { parseQueryId } from '../../grid/query-id.ts';
import { command, ON_SERVICE } from '../command.ts';
import { audited, killedQueryId } from '../params.ts';
import { trueReply } from '../reply.ts';

export const qrykill = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'qrykill',
  request: 'KILL_QUERY',
  group: 'query',
  summary: 'Ends a running statement, scan or cursor. Only administrators may end those of other users.',
  access: 'write',
  needs: 'session',
  audit: 'always',
  cursor: 'qryId',
  params: { qryId: audited(killedQueryId) },
  reply: trueReply('Always true: the query has ended.'),
  errors: ['QUERY_NOT_FOUND', 'SQL', 'INACTIVE'],
  example: { before: ['cmd=qryscanexe&pageSize=0'], query: 'cmd=qrykill&qryId={queryId}', response: true },
  run({ qryId }, { grid, caller, owner, tenant }) {
    const id = parseQueryId(qryId);
    if (id === undefined) throw gridError('QUERY_NOT_FOUND', qryId);
    // Without authentication, everyone may do everything, as with KILL QUERY.
    const isAdministrator = caller.user === '' || tenant().isAdministrator;
    return grid.queries.kill(id, { owner, isAdministrator });
  },
});
