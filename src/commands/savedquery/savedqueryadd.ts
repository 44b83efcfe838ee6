import { command, ON_SERVICE } from '../command.ts';
import { audited, flag, requiredString } from '../params.ts';
import { SAVED_QUERY_ERRORS, savedCacheName, savedParameters, savedQueryReply } from './saved-query-params.ts';

export const savedqueryadd = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'savedqueryadd',
  request: 'SAVED_QUERY_ADD',
  group: 'savedquery',
  summary: 'Saves a query under a name, for yourself or for all users.',
  access: 'write',
  needs: 'session',
  rejectsUndeclared: true,
  audit: 'always',
  params: {
    name: audited(requiredString('name', "Name of the query, unique among the user's queries.")),
    qry: requiredString('qry', 'Text of the query: one or more SQL statements. It is not checked.'),
    cacheName: savedCacheName,
    parameters: savedParameters,
    shared: flag('shared', 'All users may read it. To execute it, they need the rights themselves.', false),
  },
  reply: savedQueryReply,
  errors: [...SAVED_QUERY_ERRORS, 'SAVED_QUERY_LIMIT'],
  example: {
    query: 'cmd=savedqueryadd&name=People+of+a+city&qry=SELECT+name+FROM+people+WHERE+city+%3D+%3Acity&shared=true',
  },
  run: (query, { services: { savedQueries }, caller }) => savedQueries.add(caller, query),
});
