import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { requireBulk } from './import.ts';
import { importId } from './transfer-params.ts';

export const importrmv = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'importrmv',
  request: 'IMPORT_REMOVE',
  group: 'transfer',
  summary: 'Forgets an import. The rows that it has stored remain.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  params: { importId },
  reply: trueReply('`true`.'),
  errors: ['IMPORT_NOT_FOUND', 'IMPORT_IN_USE', 'NOT_SUPPORTED', 'INACTIVE'],
  example: {
    before: [
      {
        query: 'cmd=import&cacheName=default&importId=people-1&last=false',
        body: { type: 'text/csv', text: 'key,value\nann,Ann Smith\n' },
      },
    ],
    query: 'cmd=importrmv&importId=people-1',
    response: true,
  },
  run: ({ importId }, { grid, owner }) => requireBulk(grid.bulk).discardImport(importId, owner),
});
