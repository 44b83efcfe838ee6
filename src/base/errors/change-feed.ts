/** Errors of the change feed. */
import { defineErrors, type Text } from './error-entry.ts';

export const CHANGE_FEED_ERRORS = defineErrors({
  CHANGE_FEED_OFF: {
    http: 409,
    text: (cache: string) => `The changes of the cache are not recorded: ${cache} (cmd=changefeed turns its feed on)`,
    cause: 'The change feed of the cache is off, which is the default.',
    remedy: 'Turn it on with `cmd=changefeed&cacheName=...&enabled=true`, or create the cache with `changeFeed=true`.',
  },
  CHANGE_FEED_COLUMNS: {
    http: 400,
    text: (cache: string, limit: Text) =>
      `The table has too many columns to record its changes: ${cache} [limit=${limit}]`,
    cause: 'The change feed records the values of all columns, and SQLite limits the number of columns.',
    remedy: 'Split the table, or leave its change feed off.',
  },
  CHANGE_POSITION_INVALID: {
    http: 400,
    text: (position: string) => `Invalid position of the change feed: ${position}`,
    cause: 'The text is not a position sent by this service.',
    remedy: 'Send a position exactly as received, `now` or `start`.',
  },
  CHANGE_POSITION_GONE: {
    http: 410,
    httpAlways: true,
    text: (position: string, reason: string) => `The change feed cannot continue at ${position}: ${reason}`,
    cause:
      'Changes after the position are no longer retained, or the position belongs to another data file, such as that of a backup or of a region that did not survive a restart.',
    remedy:
      'Read the caches again and watch from a new position; raise changeFeed.retentionSeconds or changeFeed.retentionBytes.',
  },
  CHANGE_POSITION_TIMEOUT: {
    http: 504,
    httpAlways: true,
    text: (position: string, timeoutMs: Text) => `The position was not reached within ${timeoutMs} ms: ${position}`,
    cause: 'The service has not reached the position in `Wait-For-Position` within that time.',
    remedy: 'Send the request again, with a longer time in `Prefer: wait=SECONDS` if needed.',
  },
  CHANGE_CONSUMER_SLOW: {
    http: 410,
    text: (limit: Text) => `The consumer of the change feed is too slow: more than ${limit} bytes wait for it`,
    cause:
      'The nodes of a cluster record no changes, so the service buffers the changes that a consumer has not read yet.',
    remedy: 'Read the stream faster, or watch fewer caches; then read the caches again and start a new watch.',
  },
  CHANGE_CONSUMERS: {
    http: 503,
    httpAlways: true,
    text: (limit: Text) => `Too many consumers of the change feed [limit=${limit}]`,
    cause: 'The number of consumers has reached its limit, and the user has more than a fiftieth of them.',
    remedy: 'Close unused streams, or raise limits.changeConsumers.',
  },
});
