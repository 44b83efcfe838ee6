import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { savedQueryId } from './saved-query-params.ts';

export const savedqueryrmv = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'savedqueryrmv',
  request: 'SAVED_QUERY_REMOVE',
  group: 'savedquery',
  summary: 'Removes a saved query. Only its owner and administrators may remove it.',
  access: 'write',
  needs: 'session',
  audit: 'always',
  params: { id: savedQueryId },
  reply: trueReply('Always true.'),
  errors: ['SAVED_QUERY_NOT_FOUND', 'SAVED_QUERY_FORBIDDEN', 'INACTIVE'],
  example: {
    before: ['cmd=savedqueryadd&name=Once&qry=SELECT+1'],
    query: 'cmd=savedqueryrmv&id={id}',
    response: true,
  },
  run: ({ id }, { services: { savedQueries }, caller }) => savedQueries.remove(caller, id),
});
