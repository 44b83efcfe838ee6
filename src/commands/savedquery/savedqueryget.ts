import { command, ON_SERVICE } from '../command.ts';
import { savedQueryId, savedQueryReply } from './saved-query-params.ts';

export const savedqueryget = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'savedqueryget',
  request: 'SAVED_QUERY_GET',
  group: 'savedquery',
  summary: 'Returns one of your saved queries, or a shared one, with its text and parameters.',
  access: 'read',
  needs: 'session',
  params: { id: savedQueryId },
  reply: savedQueryReply,
  errors: ['SAVED_QUERY_NOT_FOUND', 'INACTIVE'],
  example: { before: ['cmd=savedqueryadd&name=Answer&qry=SELECT+42'], query: 'cmd=savedqueryget&id={id}' },
  run: ({ id }, { services: { savedQueries }, caller }) => savedQueries.get(caller, id),
});
