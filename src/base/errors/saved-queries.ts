/** Errors of the commands on saved queries. */
import { defineErrors, type Text } from './error-entry.ts';

export const SAVED_QUERY_ERRORS = defineErrors({
  SAVED_QUERY_INVALID: {
    http: 400,
    text: (reason: string) => `The query cannot be saved: ${reason}`,
    cause: 'A parameter of the command is invalid.',
    remedy: 'Correct the parameter that the text names.',
  },
  SAVED_QUERY_EXISTS: {
    http: 409,
    text: (name: string) => `A saved query with this name already exists [name=${name}]`,
    cause: 'The owner already has a saved query with this name.',
    remedy: 'Choose another name, or change the saved query with savedqueryupdate.',
  },
  SAVED_QUERY_NOT_FOUND: {
    http: 404,
    text: (id: string) => `There is no saved query with this id [id=${id}]`,
    cause: 'No saved query has this id, or it belongs to another user who does not share it.',
    remedy: 'Use an id from savedquerylist, or ask the owner to share the query.',
  },
  SAVED_QUERY_FORBIDDEN: {
    status: 3,
    http: 403,
    text: (user: string, id: string) => `The saved query belongs to another user [user=${user}, id=${id}]`,
    cause: 'Only the owner of a saved query and administrators may change or remove it.',
    remedy: 'Save your own copy with savedqueryadd.',
  },
  SAVED_QUERY_CHANGED: {
    http: 409,
    text: (id: string, revision: Text) => `The saved query has been changed since [id=${id}, revision=${revision}]`,
    cause: 'The query has a different revision from the one in the request.',
    remedy: 'Read the query again with savedqueryget and change that revision, or save yours under another name.',
  },
  SAVED_QUERY_LIMIT: {
    http: 409,
    text: (whose: string, limit: Text) => `Too many saved queries of ${whose} [limit=${limit}]`,
    cause: 'The user, or all users together, have as many saved queries as the limit allows.',
    remedy: 'Remove queries with savedqueryrmv, or raise limits.savedQueries or limits.savedQueriesPerUser.',
  },
});
