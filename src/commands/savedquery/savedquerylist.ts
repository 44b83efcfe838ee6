import { command, ON_SERVICE } from '../command.ts';
import { optionalString } from '../params.ts';
import { savedQueriesReply } from './saved-query-params.ts';

export const savedquerylist = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'savedquerylist',
  request: 'SAVED_QUERY_LIST',
  group: 'savedquery',
  summary: 'Lists your saved queries and those shared by others.',
  access: 'read',
  needs: 'session',
  params: {
    user: optionalString(
      'user',
      'List only the queries of this user, for administrators including those that are not shared.',
      true,
    ),
  },
  reply: savedQueriesReply,
  errors: ['INACTIVE'],
  example: { before: ['cmd=savedqueryadd&name=Count&qry=SELECT+1'], query: 'cmd=savedquerylist' },
  run: ({ user }, { services: { savedQueries }, caller }) => savedQueries.list(caller, user),
});
