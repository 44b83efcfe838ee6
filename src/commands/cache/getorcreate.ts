import { type ErrorCode, GridError, gridError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { type CacheRequest, type Grid, WRITE_SYNCHRONIZATION_MODES } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { Context } from '../context.ts';
import { backups, cacheNameOrIllegal, cacheTtlMs, choice, optionalFlag, optionalString, sentName } from '../params.ts';
import { nullReply } from '../reply.ts';

export const getorcreate = command({
  ...ON_SERVICE,
  name: 'getorcreate',
  request: 'GET_OR_CREATE_CACHE',
  group: 'cache',
  summary: 'Creates a cache unless one with this name exists.',
  access: 'write',
  needs: 'cacheCreate',
  audit: 'always',
  params: {
    cacheName: cacheNameOrIllegal,
    backups,
    dataRegion: optionalString('dataRegion', 'Data region of the new cache.', true),
    templateName: optionalString(
      'templateName',
      'Template of the new cache: PARTITIONED, REPLICATED or a configured template.',
      true,
    ),
    cacheGroup: optionalString('cacheGroup', 'Cache group of the new cache.', true),
    writeSynchronizationMode: choice(
      'writeSynchronizationMode',
      WRITE_SYNCHRONIZATION_MODES,
      'When a cluster acknowledges writes to the new cache. The embedded engine ignores it.',
      (text, flags) => gridError('WRITE_MODE_INVALID', text, sentName('writeSynchronizationMode', flags)),
      true,
    ),
    ttlMs: cacheTtlMs,
    sliding: optionalFlag(
      'sliding',
      'Whether reads (`get`, `getall`) also extend the time to live of an entry; requires `ttlMs`.',
      'false',
    ),
    changeFeed: optionalFlag('changeFeed', 'Whether `watch` can stream the changes of the new cache.', 'false'),
  },
  reply: nullReply('Always null.'),
  errors: [
    'CACHE_NAME_INVALID',
    'BACKUPS_NEGATIVE',
    'WRITE_MODE_INVALID',
    'TTL_NEGATIVE',
    'SLIDING_WITHOUT_TTL',
    'TEMPLATE_NOT_FOUND',
    'REGION_NOT_FOUND',
    'GROUP_MISMATCH',
    'GROUP_MODE_MISMATCH',
    'GROUP_REGION_MISMATCH',
    'GROUP_CONFLICT',
    'CACHE_LIMIT',
    'READ_ONLY',
    'INACTIVE',
    'NOT_SUPPORTED',
  ],
  example: { query: 'cmd=getorcreate&cacheName=orders&backups=1', response: null },
  async run(args, context) {
    const { grid } = context;
    await withoutUnknown(() => grid.caches.getOrCreate(args.cacheName, requestOf(args, grid)), args, context);
  },
  async preview(args, context) {
    const { grid } = context;
    const isNew = await withoutUnknown(
      () => grid.caches.wouldCreate(args.cacheName, requestOf(args, grid)),
      args,
      context,
    );
    return isNew ? [{ cacheName: args.cacheName, change: 'created', entries: 0 }] : [];
  },
});

/** Errors that name another cache of the group. */
const OF_GROUP: ReadonlySet<ErrorCode> = new Set(['GROUP_MISMATCH', 'GROUP_MODE_MISMATCH', 'GROUP_REGION_MISMATCH']);

/** Calls a function. Replaces an error that names a cache the caller may not know by GROUP_CONFLICT. */
async function withoutUnknown<T>(
  call: () => MaybePromise<T>,
  { cacheName, cacheGroup = '' }: CreationArguments & { readonly cacheName: string },
  { grid, knowledge }: Pick<Context, 'grid' | 'knowledge'>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const known = knowledge();
    if (known === undefined || !(error instanceof GridError) || !OF_GROUP.has(error.code)) throw error;
    const others = (await grid.caches.list()).filter(({ group }) => group === cacheGroup);
    if (others.every((each) => known.cache(each))) throw error;
    throw gridError('GROUP_CONFLICT', cacheGroup, cacheName);
  }
}

interface CreationArguments {
  readonly backups: number | undefined;
  readonly dataRegion: string | undefined;
  readonly templateName: string | undefined;
  readonly cacheGroup: string | undefined;
  readonly writeSynchronizationMode: CacheRequest['writeMode'];
  readonly ttlMs: bigint | undefined;
  readonly sliding: boolean | undefined;
  readonly changeFeed: boolean | undefined;
}

/** Returns the requested settings. Throws NOT_SUPPORTED. */
function requestOf(args: CreationArguments, { changeFeed: feed }: Pick<Grid, 'changeFeed'>): CacheRequest {
  const { backups, dataRegion, templateName, cacheGroup, writeSynchronizationMode, ttlMs, sliding, changeFeed } = args;
  if (changeFeed === true && feed?.isResumable !== true) {
    throw gridError('NOT_SUPPORTED', 'changeFeed', 'the nodes of a cluster record no changes');
  }
  return {
    ...(templateName !== undefined && { template: templateName }),
    ...(backups !== undefined && { backups }),
    ...(dataRegion !== undefined && { region: dataRegion }),
    ...(cacheGroup !== undefined && { group: cacheGroup }),
    ...(writeSynchronizationMode !== undefined && { writeMode: writeSynchronizationMode }),
    ...(ttlMs !== undefined && { ttlMs: Number(ttlMs) }),
    ...(sliding !== undefined && { sliding }),
    ...(changeFeed !== undefined && { changeFeed }),
  };
}
