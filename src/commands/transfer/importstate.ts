import { command, ON_SERVICE } from '../command.ts';
import { requireBulk } from './import.ts';
import { importId, importReply } from './transfer-params.ts';

export const importstate = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'importstate',
  request: 'IMPORT_STATE',
  group: 'transfer',
  summary: 'Returns the progress of an import.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  params: { importId },
  reply: importReply('What has been stored and is on disk.'),
  errors: ['IMPORT_NOT_FOUND', 'NOT_SUPPORTED', 'INACTIVE'],
  example: {
    before: [
      {
        query: 'cmd=import&cacheName=default&importId=people-1&last=false',
        body: { type: 'text/csv', text: 'key,value\nann,Ann Smith\n' },
      },
    ],
    query: 'cmd=importstate&importId=people-1',
  },
  run: ({ importId }, { grid, owner }) => requireBulk(grid.bulk).importState(importId, owner),
});
