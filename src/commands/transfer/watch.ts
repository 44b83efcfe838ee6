import { gridError } from '../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../base/limits.ts';
import { splitList } from '../../base/lists.ts';
import { chain } from '../../base/maybe-promise.ts';
import {
  CHANGE_OPERATION_NAMES,
  type ChangeOperation,
  endReasonOf,
  FROM_NOW,
  type WatchRequest,
} from '../../grid/change-feed.ts';
import { CHANGE_FORMAT_TYPES, type ChangeFormat, changeWriter } from '../../grid/change-writers.ts';
import type { Value } from '../../values/value.ts';
import { command, ON_SERVICE } from '../command.ts';
import {
  cacheName,
  cacheNamesOf,
  flag,
  optionalInteger,
  optionalString,
  type Parameter,
  key as requiredKey,
} from '../params.ts';
import { LiveResponse, type Reply } from '../reply.ts';
import { optionChoice } from './transfer-params.ts';

/** Proxies close connections that send no data for half a minute or more. */
const HEARTBEAT_MS = 15_000;
const FORMATS: readonly ChangeFormat[] = ['sse', 'ndjson'];
/** In the order of preference. */
const MEDIA_TYPES = ['application/x-ndjson', 'text/event-stream'] as const;

const key: Parameter<Value | undefined> = {
  ...requiredKey,
  required: false,
  summary: 'Only changes of the entry with this key, and of the cache as a whole.',
};

const reply: Reply<LiveResponse> = {
  kind: 'changes',
  summary:
    'The changes as server-sent events (`text/event-stream`) or NDJSON (`application/x-ndjson`), without the envelope. ' +
    'A failure before the first change is an envelope; a later one is the last event.',
  schema: { type: 'string' },
  write: (result) => result,
};

export const watch = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'watch',
  request: 'WATCH',
  group: 'transfer',
  summary: 'Streams the changes of caches, in order and exactly once, from now on or from a position.',
  since: '1.1.0',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'listed',
  batch: 'returnsChanges',
  params: {
    cacheName: {
      ...cacheName,
      summary:
        'Comma-separated cache names; double quotes enclose a name with a comma. `*`: all caches whose changes are recorded.',
    },
    key,
    operation: optionalString(
      'operation',
      `Only these kinds of changes, separated by commas: ${CHANGE_OPERATION_NAMES.join(', ')}.`,
      true,
    ),
    oldValue: flag('oldValue', 'Whether changes include the value that they replaced or removed.', false),
    from: optionalString(
      'from',
      'Where to begin: `now` (the default), `start` (the oldest retained change) or a position.',
      true,
    ),
    lastEventId: optionalString(
      'lastEventId',
      'The position of the last event received, for clients that cannot send the header Last-Event-ID. Both take ' +
        'precedence over `from`.',
      true,
    ),
    follow: flag('follow', 'Whether to wait for new changes; if false, the stream ends after the last one.', true),
    heartbeatMs: optionalInteger(
      'heartbeatMs',
      'Milliseconds without a change after which the stream sends a heartbeat with its position.',
      String(HEARTBEAT_MS),
    ),
    format: optionChoice('format', FORMATS, 'Format of the stream (default: from the header Accept, else ndjson).'),
  },
  reply,
  errors: [
    'PARAMETER_INVALID',
    'CACHE_NOT_FOUND',
    'CHANGE_FEED_OFF',
    'CHANGE_POSITION_INVALID',
    'CHANGE_POSITION_GONE',
    'CHANGE_CONSUMERS',
    'CHANGE_CONSUMER_SLOW',
    'INACTIVE',
    'NOT_SUPPORTED',
  ],
  example: {
    before: ['cmd=getorcreate&cacheName=parcels&changeFeed=true', 'cmd=put&cacheName=parcels&key=p1&val=sent'],
    query: 'cmd=watch&cacheName=parcels&from=start&follow=false',
  },
  run(args, { grid, owner, tenant, signal, consumer, defaultCache, onSend, notation }) {
    const { changeFeed } = grid;
    if (changeFeed === undefined) throw gridError('NOT_SUPPORTED', 'watch', 'this engine has no change feed');
    const format = args.format ?? (consumer.preferredType(MEDIA_TYPES) === 'text/event-stream' ? 'sse' : 'ndjson');
    const caches = cacheNamesOf(args.cacheName, defaultCache);
    const operations = operationsOf(args.operation);
    const stopping = new AbortController();
    let takenTo: string | undefined;
    const request: WatchRequest = {
      caches,
      key: args.key,
      operations,
      withOldValue: args.oldValue,
      from: checkedFrom(resumedFrom(consumer.lastEventId()) ?? args.lastEventId ?? args.from ?? FROM_NOW),
      follows: args.follow,
      heartbeatMs: checkedHeartbeat(args.heartbeatMs ?? HEARTBEAT_MS),
      writer: changeWriter(format, { convert: onSend, isNotation: notation !== undefined }),
      // A stream with its own key or notation rarely matches others.
      sharing:
        args.key === undefined && notation === undefined
          ? JSON.stringify([format, caches, operations === undefined ? null : [...operations], args.oldValue])
          : undefined,
      owner,
      tenant: tenant(),
      signal: signal(),
      stopping: stopping.signal,
      authorize: () => consumer.authorize(),
      taken(position) {
        takenTo = position;
      },
    };
    const stop = () => stopping.abort();
    const ended = (error: unknown) => request.writer.ended(takenTo, endReasonOf(error), error);
    const type = CHANGE_FORMAT_TYPES[format];
    return chain(changeFeed.watch(request), (parts) => new LiveResponse(parts, type, stop, ended));
  },
});

function operationsOf(text: string | undefined): ReadonlySet<ChangeOperation> | undefined {
  if (text === undefined) return undefined;
  const operations = new Set<ChangeOperation>();
  for (const item of splitList('operation', text)) {
    const word = item.toLowerCase();
    const operation = CHANGE_OPERATION_NAMES.find((name) => name.toLowerCase() === word);
    if (operation === undefined) {
      throw gridError('PARAMETER_INVALID', 'operation', word, CHANGE_OPERATION_NAMES.join(', '));
    }
    operations.add(operation);
  }
  return operations;
}

/**
 * Returns where a client resumes that repeats its request including `from`; an empty id counts as none
 * (WHATWG HTML 9.2).
 */
function resumedFrom(lastEventId: string | null): string | undefined {
  return lastEventId === null || lastEventId === '' ? undefined : lastEventId;
}

/** Returns a position of limited length. Throws CHANGE_POSITION_INVALID. */
function checkedFrom(from: string): string {
  if (from.length > CHANGE_FEED_BOUNDS.positionCharacters) throw gridError('CHANGE_POSITION_INVALID', from);
  return from;
}

/** Returns the heartbeat interval. Throws PARAMETER_INVALID. */
function checkedHeartbeat(heartbeatMs: number): number {
  const { leastHeartbeatMs, heartbeatMs: most } = CHANGE_FEED_BOUNDS;
  if (heartbeatMs < leastHeartbeatMs || heartbeatMs > most) {
    throw gridError('PARAMETER_INVALID', 'heartbeatMs', String(heartbeatMs), `from ${leastHeartbeatMs} to ${most}`);
  }
  return heartbeatMs;
}
