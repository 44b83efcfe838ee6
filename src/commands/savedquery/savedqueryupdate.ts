import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalFlag, optionalLong, optionalString } from '../params.ts';
import {
  SAVED_QUERY_ERRORS,
  savedCacheName,
  savedParameters,
  savedQueryId,
  savedQueryReply,
} from './saved-query-params.ts';

export const savedqueryupdate = command({
  ...ON_SERVICE,
  since: '1.1.0',
  failures: 'bare',
  name: 'savedqueryupdate',
  request: 'SAVED_QUERY_UPDATE',
  group: 'savedquery',
  summary: 'Changes parts of a saved query. Only its owner and administrators may change it.',
  access: 'write',
  needs: 'session',
  rejectsUndeclared: true,
  audit: 'always',
  params: {
    id: savedQueryId,
    name: audited(optionalString('name', "New name, unique among the owner's queries.")),
    qry: optionalString('qry', 'New text of the query.'),
    cacheName: savedCacheName,
    parameters: savedParameters,
    shared: audited(optionalFlag('shared', 'Whether all users may read it.', 'as before')),
    revision: optionalLong('revision', 'Change the query only if it has this revision.', { defaultText: 'any' }),
  },
  reply: savedQueryReply,
  errors: [...SAVED_QUERY_ERRORS, 'SAVED_QUERY_NOT_FOUND', 'SAVED_QUERY_FORBIDDEN', 'SAVED_QUERY_CHANGED'],
  example: {
    before: ['cmd=savedqueryadd&name=Draft&qry=SELECT+1'],
    query: 'cmd=savedqueryupdate&id={id}&shared=true&revision=1',
  },
  run: ({ id, revision, ...change }, { services: { savedQueries }, caller }) =>
    savedQueries.update(caller, id, { ...change, revision: revision === undefined ? undefined : Number(revision) }),
});
