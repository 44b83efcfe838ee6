import { command, ON_SERVICE } from '../command.ts';
import type { BackupStatus } from '../context.ts';
import { type JsonSchema, jsonReply } from '../reply.ts';

const TIME: JsonSchema = { type: 'string', format: 'date-time' };
const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };

const SCHEMA: JsonSchema = {
  type: 'object',
  required: ['folder', 'running', 'nextAt', 'lastFailure', 'backups'],
  properties: {
    folder: OPTIONAL_TEXT,
    running: {
      type: ['object', 'null'],
      required: ['name', 'startedAt', 'bytes'],
      properties: { name: OPTIONAL_TEXT, startedAt: TIME, bytes: { type: 'integer' } },
    },
    nextAt: OPTIONAL_TEXT,
    lastFailure: {
      type: ['object', 'null'],
      required: ['failedAt', 'error'],
      properties: { failedAt: TIME, error: { type: 'string' } },
    },
    backups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'bytes', 'completedAt'],
        properties: { name: { type: 'string' }, bytes: { type: 'integer' }, completedAt: TIME },
      },
    },
  },
};

export const backups = command({
  ...ON_SERVICE,
  name: 'backups',
  request: 'BACKUPS',
  group: 'server',
  summary: 'Lists the backups in the folder for backups, the running one and when the next is due.',
  since: '1.1.0',
  access: 'read',
  needs: 'adminBackup',
  audit: 'always',
  params: {},
  reply: jsonReply<BackupStatus>('backups', SCHEMA, 'The backups in `backup.folder`, the newest first.'),
  errors: ['NOT_SUPPORTED'],
  example: { query: 'cmd=backups' },
  run: (_args, context) => context.backups.status(),
});
