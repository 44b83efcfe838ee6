import { command, ON_SERVICE } from '../command.ts';
import type { BackupStatus } from '../context.ts';
import { flag } from '../params.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };

const RESTORE_CHECK: JsonSchema = {
  type: ['object', 'null'],
  ...members({
    running: { type: 'boolean' },
    nextAt: TIME,
    verifiedAt: OPTIONAL_TEXT,
    last: {
      type: ['object', 'null'],
      ...members({
        outcome: { type: 'string', enum: ['verified', 'damaged', 'failed'] },
        reason: OPTIONAL_TEXT,
        endedAt: TIME,
        instant: OPTIONAL_TEXT,
        position: OPTIONAL_TEXT,
      }),
    },
  }),
};

const RESTORABLE: JsonSchema = {
  type: ['object', 'null'],
  description: 'What can be restored; null unless `restorable=true`.',
  ...members({
    objects: { type: 'integer' },
    bytes: { type: 'integer' },
    encrypted: { type: 'boolean', description: 'Whether the newest object is encrypted.' },
    ranges: {
      type: 'array',
      items: {
        type: 'object',
        ...members({
          from: TIME,
          to: TIME,
          firstPosition: { type: 'string' },
          lastPosition: { type: 'string' },
          points: { type: 'integer' },
          longestStepMs: { type: 'integer', description: 'The longest time between two points.' },
        }),
      },
    },
  }),
};

const SCHEMA: JsonSchema = {
  type: 'object',
  ...members({
    folder: OPTIONAL_TEXT,
    running: {
      type: ['object', 'null'],
      ...members({ name: OPTIONAL_TEXT, startedAt: TIME, bytes: { type: 'integer' } }),
    },
    nextAt: OPTIONAL_TEXT,
    lastFailure: {
      type: ['object', 'null'],
      ...members({ failedAt: TIME, error: { type: 'string' } }),
    },
    continuous: {
      type: ['object', 'null'],
      ...members({
        url: { type: 'string' },
        state: { type: 'string', enum: ['starting', 'shipping', 'waiting', 'stopped'] },
        reason: OPTIONAL_TEXT,
        position: OPTIONAL_TEXT,
        shippedAt: OPTIONAL_TEXT,
        reportAgeMs: { type: 'integer' },
        behindMs: { type: 'integer' },
        behindBytes: { type: 'integer' },
        restorable: RESTORABLE,
        restoreCheck: RESTORE_CHECK,
      }),
    },
    backups: {
      type: 'array',
      items: {
        type: 'object',
        ...members({ name: { type: 'string' }, bytes: { type: 'integer' }, completedAt: TIME }),
      },
    },
  }),
};

export const backups = command({
  ...ON_SERVICE,
  name: 'backups',
  request: 'BACKUPS',
  group: 'server',
  summary: 'Lists the backups, the running and the next one, and the state of the continuous backup.',
  since: '1.1.0',
  access: 'read',
  needs: 'adminBackup',
  audit: 'always',
  params: {
    restorable: flag('restorable', 'Also list what can be restored from the continuous backup.', false),
  },
  reply: jsonReply<BackupStatus>('backups', SCHEMA, 'The backups in `backup.folder`, newest first.'),
  errors: ['NOT_SUPPORTED', 'BACKUP_FAILED'],
  example: { query: 'cmd=backups' },
  run: ({ restorable }, context) => context.services.backups.status(restorable),
});
