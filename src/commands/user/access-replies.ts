/** Replies of the commands that list users, roles and sessions. */
import type { RoleDescription, SessionDescription, UserDescription } from '../context.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const TEXT: JsonSchema = { type: 'string' };
const TEXTS: JsonSchema = { type: 'array', items: TEXT };
const OPTIONAL_TIME: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const RIGHTS: JsonSchema = { type: 'object', additionalProperties: TEXTS };

const USER: JsonSchema = {
  type: 'object',
  ...members({
    name: TEXT,
    roles: TEXTS,
    rolesFrom: {
      enum: ['configuration', 'assigned', 'others'],
      description:
        'Whether the configuration names the user, `roleassign` set the roles, or all other users have them.',
    },
    isDefault: { type: 'boolean' },
  }),
};

const ROLE: JsonSchema = {
  type: 'object',
  ...members({
    name: TEXT,
    source: {
      enum: ['builtIn', 'configuration', 'stored'],
      description: 'Where the role is defined. Commands change only stored roles.',
    },
    commands: {
      type: ['array', 'null'],
      items: TEXT,
      description: 'Commands, and groups such as `@entry`; null means all.',
    },
    caches: { ...RIGHTS, description: 'Rights by pattern of cache names.' },
    tables: { ...RIGHTS, description: 'Rights by pattern of table names.' },
    counters: { ...TEXTS, description: 'Patterns of counter names.' },
    tasks: { ...TEXTS, description: 'Patterns of task names.' },
    administration: { ...TEXTS, description: 'Administration rights.' },
    users: { ...TEXTS, description: 'Users to whom the configuration or `roleassign` assigns the role.' },
    others: { type: 'boolean', description: 'Whether all other users have the role.' },
  }),
};

const SESSION: JsonSchema = {
  type: 'object',
  ...members({
    id: { ...TEXT, description: 'Id for `sessionrmv`. The token of the session cannot be derived from it.' },
    user: TEXT,
    address: { type: ['string', 'null'], description: 'Address of the client that logged in.' },
    startedAt: OPTIONAL_TIME,
    lastUsedAt: { ...OPTIONAL_TIME, description: 'Approximate time of the last use.' },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      description: 'When the session expires if it is not used before.',
    },
    current: { type: 'boolean', description: 'Whether this request belongs to the session.' },
  }),
};

export const usersReply = jsonReply<readonly UserDescription[]>(
  'users',
  { type: 'array', items: USER },
  'The users, sorted by name.',
);

export const rolesReply = jsonReply<readonly RoleDescription[]>(
  'roles',
  { type: 'array', items: ROLE },
  'The roles, built-in ones first.',
);

export const sessionsReply = jsonReply<readonly SessionDescription[]>(
  'sessions',
  { type: 'array', items: SESSION },
  'The sessions, most recently used first.',
);
