import { command, ON_SERVICE } from '../command.ts';
import type { VerifiedBackup } from '../context.ts';
import { audited, requiredString } from '../params.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const OPTIONAL_TEXT: JsonSchema = { type: ['string', 'null'] };

const SCHEMA: JsonSchema = {
  type: 'object',
  ...members({
    name: { type: 'string' },
    outcome: {
      type: 'string',
      enum: ['verified', 'damaged', 'failed'],
      description: '`failed`: the backup could not be checked, for example because the disk is full.',
    },
    reason: { ...OPTIONAL_TEXT, description: 'Why it is not verified.' },
    encrypted: {
      type: ['boolean', 'null'],
      description:
        'Whether it is encrypted. If `backup.encryptionKeyFile` is set and it is not, it was made before that, or it ' +
        'has been replaced.',
    },
    createdAt: { ...OPTIONAL_TEXT, description: 'The time of its snapshot.' },
    entries: { type: 'integer' },
    restoredBytes: { type: 'integer' },
  }),
};

export const backupverify = command({
  ...ON_SERVICE,
  name: 'backupverify',
  request: 'BACKUP_VERIFY',
  group: 'server',
  summary: 'Restores a backup to a temporary folder and verifies it, as `svc verify` does.',
  since: '1.1.0',
  access: 'read',
  needs: 'adminBackup',
  audit: 'always',
  params: { name: audited(requiredString('name', 'Name of a backup in `backup.folder`.', true)) },
  reply: jsonReply<VerifiedBackup>(
    'verifiedBackup',
    SCHEMA,
    'The result of the verification. Disconnecting earlier cancels it.',
  ),
  errors: ['BACKUP_FOLDER_MISSING', 'BACKUP_NAME_INVALID', 'BACKUP_RUNNING', 'NOT_SUPPORTED'],
  example: { before: ['cmd=backup&name=example'], query: 'cmd=backupverify&name=example' },
  run: ({ name }, { services: { backups }, signal }) => backups.verify(name, signal()),
});
