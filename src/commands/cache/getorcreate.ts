import { fail } from '../../base/errors.ts';
import { type CacheRequest, WRITE_SYNCHRONIZATION_MODES } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import { backups, cacheNameOrIllegal, choice, optionalText } from '../params.ts';
import { nothing } from '../reply.ts';

export const getorcreate = command({
  ...ON_SERVICE,
  name: 'getorcreate',
  request: 'GET_OR_CREATE_CACHE',
  group: 'cache',
  summary: 'Creates a cache where there is none of that name.',
  access: 'write',
  needs: 'cacheCreate',
  audit: 'always',
  params: {
    cacheName: cacheNameOrIllegal,
    backups,
    dataRegion: optionalText('dataRegion', 'Data region of a new cache.', true),
    templateName: optionalText(
      'templateName',
      'Template of a new cache: PARTITIONED, REPLICATED or one of the configuration.',
      true,
    ),
    cacheGroup: optionalText('cacheGroup', 'Cache group of a new cache.', true),
    writeSynchronizationMode: choice(
      'writeSynchronizationMode',
      WRITE_SYNCHRONIZATION_MODES,
      'When a write to a new cache is acknowledged; on one machine it is always when the write is durable.',
      (text) => fail('WRITE_MODE_INVALID', text),
      true,
    ),
  },
  reply: nothing('Always null.'),
  errors: [
    'CACHE_NAME_INVALID',
    'BACKUPS_INVALID',
    'BACKUPS_NEGATIVE',
    'WRITE_MODE_INVALID',
    'TEMPLATE_NOT_FOUND',
    'REGION_NOT_FOUND',
    'GROUP_MISMATCH',
    'GROUP_REGION_MISMATCH',
    'CACHE_LIMIT',
    'READ_ONLY',
    'INACTIVE',
  ],
  example: { query: 'cmd=getorcreate&cacheName=orders&backups=1', response: null },
  run({ cacheName, backups, dataRegion, templateName, cacheGroup, writeSynchronizationMode }, { grid }) {
    const request: CacheRequest = {
      ...(templateName !== undefined && { template: templateName }),
      ...(backups !== undefined && { backups }),
      ...(dataRegion !== undefined && { region: dataRegion }),
      ...(cacheGroup !== undefined && { group: cacheGroup }),
      ...(writeSynchronizationMode !== undefined && { writeMode: writeSynchronizationMode }),
    };
    return grid.caches.getOrCreate(cacheName, request);
  },
});
