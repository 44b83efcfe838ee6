import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { cacheNameOrIllegal, flag } from '../params.ts';
import { nullReply } from '../reply.ts';

export const changefeed = command({
  ...ON_SERVICE,
  name: 'changefeed',
  request: 'CHANGE_FEED',
  group: 'transfer',
  summary: 'Starts or stops recording the changes of a cache, which `watch` streams.',
  since: '1.1.0',
  access: 'write',
  needs: 'cacheCreate',
  audit: 'always',
  params: {
    cacheName: cacheNameOrIllegal,
    enabled: flag('enabled', 'Whether to record changes from now on.', true),
  },
  reply: nullReply('Always null.'),
  errors: ['CACHE_NAME_INVALID', 'CACHE_NOT_FOUND', 'CHANGE_FEED_COLUMNS', 'READ_ONLY', 'INACTIVE', 'NOT_SUPPORTED'],
  example: { before: ['cmd=getorcreate&cacheName=parcels'], query: 'cmd=changefeed&cacheName=parcels', response: null },
  async run({ cacheName, enabled }, { grid }) {
    if (grid.changeFeed === undefined)
      throw gridError('NOT_SUPPORTED', 'the change feed', 'this engine records no changes');
    await grid.changeFeed.setRecorded(cacheName, enabled);
  },
});
