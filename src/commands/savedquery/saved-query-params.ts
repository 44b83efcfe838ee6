/** Parameters and replies of the commands on saved queries. */
import { namedCacheOf } from '../../grid/declarations.ts';
import { audited, optionalString, requiredString } from '../params.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';
import type { SavedQuery, SavedQueryDescription } from '../saved-queries.ts';

export const savedQueryId = audited(requiredString('id', 'Id of the saved query.'));
const givenCacheName = optionalString(
  'cacheName',
  'Cache whose schema is the default of the statement; empty: `PUBLIC`.',
);
export const savedCacheName: typeof givenCacheName = {
  ...givenCacheName,
  read(source) {
    const name = givenCacheName.read(source);
    return name && namedCacheOf(name, source.defaultCache);
  },
};
export const savedParameters = optionalString(
  'parameters',
  'Fields of a form: a JSON array with an object for each placeholder. `name` is its name, or `?1` for the first ' +
    '`?`; `label`, `type` (default: string) and `default` (a string) are optional.',
);

/** Errors of all commands that change saved queries. */
export const SAVED_QUERY_ERRORS = ['SAVED_QUERY_INVALID', 'SAVED_QUERY_EXISTS', 'INACTIVE'] as const;

const TEXT: JsonSchema = { type: 'string' };
const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };

const DESCRIPTION: JsonSchema = {
  id: TEXT,
  name: TEXT,
  user: { ...OPTIONAL_TEXT, description: 'The owner; null if the query was saved without authentication.' },
  shared: { type: 'boolean', description: 'Whether all users may read it.' },
  changeable: { type: 'boolean', description: 'Whether the caller may change and remove it.' },
  revision: { type: 'integer', description: 'Starts at 1 and increases by 1 with each change.' },
  createdAt: TIME,
  changedAt: TIME,
  changedBy: OPTIONAL_TEXT,
};

const PARAMETER: JsonSchema = {
  type: 'object',
  ...members({
    name: TEXT,
    label: OPTIONAL_TEXT,
    type: TEXT,
    default: OPTIONAL_TEXT,
  }),
};

const QUERY: JsonSchema = {
  type: 'object',
  ...members({
    ...DESCRIPTION,
    qry: TEXT,
    cacheName: OPTIONAL_TEXT,
    parameters: { type: 'array', items: PARAMETER },
  }),
};

export const savedQueryReply = jsonReply<SavedQuery>('savedQuery', QUERY, 'The saved query.');

export const savedQueriesReply = jsonReply<readonly SavedQueryDescription[]>(
  'savedQueries',
  { type: 'array', items: { type: 'object', ...members(DESCRIPTION) } },
  'The queries, sorted by name, without their text.',
);
