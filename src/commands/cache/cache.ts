import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId } from '../params.ts';
import { metricsReply } from '../reply.ts';

export const cache = command({
  ...ON_ENTRY,
  batch: 'separate',
  routing: 'always',
  name: 'cache',
  request: 'CACHE_METRICS',
  group: 'cache',
  summary: 'Returns the metrics of a cache.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, destId, cacheFlags },
  reply: metricsReply(
    'Counters since the service started; times in ms since the epoch, 0 before the first read or write.',
  ),
  errors: [],
  example: { query: 'cmd=cache' },
  run: ({ cacheName }, { grid }) => grid.caches.metrics(cacheName),
});
