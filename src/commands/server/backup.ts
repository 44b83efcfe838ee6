import { chain } from '../../base/maybe-promise.ts';
import { BACKUP_ENDING, backupName } from '../backup-names.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { CreatedBackup } from '../context.ts';
import { audited, flag, optionalString } from '../params.ts';
import { ByteResponse, type JsonSchema, members, type Reply } from '../reply.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  required: ['name', 'complete'],
  properties: {
    name: { type: 'string' },
    complete: { type: 'boolean' },
    createdAt: { type: 'string', format: 'date-time' },
    program: { type: 'string' },
    schemaVersion: { type: 'integer' },
    regions: {
      type: 'array',
      items: {
        type: 'object',
        ...members({ name: { type: 'string' }, persistent: { type: 'boolean' } }),
      },
    },
    bytes: { type: 'integer' },
    restoredBytes: { type: 'integer' },
    sha256: { type: 'string' },
  },
};

/** With `stream=true` the whole response is the backup (`application/octet-stream`). */
const reply: Reply<CreatedBackup | ByteResponse> = {
  kind: 'backup',
  summary:
    'The backup: its name and whether it is complete; once complete, also the time of its snapshot, its regions, size ' +
    'and hash. With `stream=true`, the response is the backup itself (`application/octet-stream`).',
  schema: SCHEMA,
  write(result) {
    if (result instanceof ByteResponse) return result;
    const { name, report } = result;
    return JSON.stringify({ name, complete: report !== null, ...report });
  },
};

export const backup = command({
  ...ON_SERVICE,
  batch: 'returnsBytes',
  name: 'backup',
  request: 'BACKUP',
  group: 'server',
  summary: 'Makes a consistent backup of all regions while reads and writes continue.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminBackup',
  audit: 'always',
  params: {
    name: audited(
      optionalString(
        'name',
        'File name in `backup.folder`: letters, digits, dots, dashes and underscores. Default: the current time.',
        true,
      ),
    ),
    stream: flag('stream', 'Send the backup to the client instead of storing it.', false),
    wait: flag('wait', 'Wait until the backup is complete. Disconnecting earlier cancels it.', true),
  },
  reply,
  errors: [
    'BACKUP_FOLDER_MISSING',
    'BACKUP_NAME_INVALID',
    'BACKUP_RUNNING',
    'BACKUP_SPACE',
    'BACKUP_KEY_INVALID',
    'BACKUP_FAILED',
    'NOT_SUPPORTED',
  ],
  example: { query: 'cmd=backup' },
  run({ name, stream, wait }, { services: { backups }, clock, signal }) {
    if (!stream) return chain(backups.create(name, wait, signal()), (created): CreatedBackup | ByteResponse => created);
    return new ByteResponse(backups.stream(signal()), `${backupName(clock.nowMs())}${BACKUP_ENDING}`);
  },
});
