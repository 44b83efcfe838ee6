/** The objects that cachelist returns, with names as in GridGain 8. */
import type { CacheDefinition } from '../grid/grid.ts';

/** A cache and its number of entries. */
interface SizedCache {
  readonly definition: CacheDefinition;
  readonly entries: number;
}

/** One element of the list. */
export type Listed = Readonly<Record<string, unknown>>;

/** Members that are not reported: partitions are internal to the engine. */
const PARTITIONS = { prim: null, mapped: null };

/** Returns one object for each cache. */
export function cacheList(caches: readonly SizedCache[]): Listed[] {
  return caches.map(({ definition, entries }) => ({
    cacheName: definition.name,
    cacheId: idOf(definition.name),
    ...sharedMembers(definition),
    cacheSize: entries,
    ...optionalMembers(definition),
  }));
}

/** Returns one object for each cache group; a cache without one is its own group. */
export function groupList(caches: readonly SizedCache[]): Listed[] {
  const groups = Map.groupBy(caches, ({ definition }) => groupOf(definition));
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const cacheSize = members.reduce((sum, { entries }) => sum + entries, 0);
    return [{ ...sharedMembers(first.definition), cachesCnt: members.length, cacheSize }];
  });
}

/** Returns one object with the configuration for each cache. */
export function configurationList(caches: readonly SizedCache[]): Listed[] {
  return caches.map(({ definition }) => ({
    cacheName: definition.name,
    mapped: null,
    configuration: {
      name: definition.name,
      groupName: definition.group ?? null,
      mode: definition.mode,
      atomicityMode: definition.atomicity,
      backups: definition.backups,
      writeSynchronizationMode: definition.writeMode,
      dataRegionName: definition.region,
      persistent: definition.persistent ?? null,
      sqlSchema: definition.schema ?? null,
      ...optionalMembers(definition),
    },
  }));
}

function sharedMembers(definition: CacheDefinition): Listed {
  const group = groupOf(definition);
  return {
    grpName: group,
    grpId: idOf(group),
    ...PARTITIONS,
    mode: definition.mode,
    atomicity: definition.atomicity,
    backups: definition.backups,
    affCls: null,
  };
}

/** Returns the settings that GridGain's caches do not have: a time to live, a change feed. */
function optionalMembers({ ttlMs, sliding, changeFeed }: CacheDefinition): Listed {
  return {
    ...(ttlMs !== undefined && { ttlMs, sliding: sliding === true }),
    ...(changeFeed === true && { changeFeed: true }),
  };
}

function groupOf({ group, name }: CacheDefinition): string {
  return group ?? name;
}

/** Returns the id of a cache or group as Ignite computes it: the hash code of its name. */
function idOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return hash === 0 ? 1 : hash;
}
