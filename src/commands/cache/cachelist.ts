import { gridError } from '../../base/errors.ts';
import type { CacheDefinition } from '../../grid/grid.ts';
import { cacheList, configurationList, groupList, type Listed } from '../cache-list.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { Context } from '../context.ts';
import { flag, optionalString } from '../params.ts';
import { jsonReply } from '../reply.ts';

/** A command of GridGain 8. */
export const cachelist = command({
  ...ON_SERVICE,
  name: 'cachelist',
  request: 'CACHE_LIST',
  group: 'cache',
  summary: 'Lists the caches or the cache groups with their sizes.',
  since: '1.1.0',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'every',
  params: {
    regex: optionalString('regex', 'Java regular expression that must match the whole name.', true),
    groups: flag('groups', 'List cache groups.', false),
    seq: flag('seq', 'List atomic sequences. The list is always empty.', false),
    config: flag('config', 'List caches with their configuration.', false),
    nodeId: optionalString('nodeId', 'Id of the node to run the command on.', true),
  },
  reply: jsonReply<readonly Listed[]>(
    'cachelist',
    { type: 'array', items: { type: 'object', additionalProperties: true } },
    'The caches or groups, sorted by name. `prim`, `mapped` and `affCls` are null: partitions are not reported.',
  ),
  errors: ['CACHE_LIST_OPTIONS', 'PATTERN_INVALID', 'NODE_NOT_FOUND', 'INACTIVE'],
  example: { before: ['cmd=getorcreate&cacheName=orders'], query: 'cmd=cachelist&regex=ord.*' },
  async run({ regex, groups, seq, config, nodeId }, context) {
    const { grid, services } = context;
    checkOptions({ groups, seq, config });
    const matches = regex === undefined ? () => true : await compiled(regex, services.compileRegex);
    if (nodeId !== undefined && !(await grid.cluster.hasNode(nodeId.toLowerCase())))
      throw gridError('NODE_NOT_FOUND', nodeId);
    if (seq) return [];
    const sized = await sizesOf(context);
    if (groups) return groupList(sized).filter(({ grpName }) => matches(String(grpName)));
    const caches = sized.filter(({ definition }) => matches(definition.name));
    return config ? configurationList(caches) : cacheList(caches);
  },
});

function checkOptions(options: Readonly<Record<'groups' | 'seq' | 'config', boolean>>): void {
  const [first, second] = Object.entries(options).filter(([, on]) => on);
  if (first !== undefined && second !== undefined) throw gridError('CACHE_LIST_OPTIONS', first[0], second[0]);
}

async function compiled(
  pattern: string,
  compile: Context['services']['compileRegex'],
): Promise<(text: string) => boolean> {
  try {
    return await compile(pattern);
  } catch {
    throw gridError('PATTERN_INVALID', pattern);
  }
}

/** Returns the caches by name with their numbers of entries; a cache that has meanwhile been destroyed has none. */
async function sizesOf(context: Context): Promise<ReadonlyArray<{ definition: CacheDefinition; entries: number }>> {
  const { grid } = context;
  if ((await grid.cluster.state()) === 'INACTIVE') throw gridError('INACTIVE');
  const definitions = await grid.caches.list();
  const sized = definitions
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(async (definition) => ({ definition, entries: await sizeOf(context, definition.name) }));
  return Promise.all(sized);
}

async function sizeOf({ grid, call }: Context, cache: string): Promise<number> {
  if ((await grid.caches.find(cache)) === undefined) return 0;
  return Number(await call({ kind: 'size', cache }));
}
