/** Errors of caches, their entries and counters. */
import { defineErrors, invalidUuid, type Text } from './error-entry.ts';

/** Identifies the cache that stores the rows of the table with this name. */
const cacheOfTable = (name: string, cache?: string): string | undefined =>
  cache === undefined ? undefined : `${name} is a table: name its cache, ${cache}.`;

export const CACHE_ERRORS = defineErrors({
  CACHE_NAME_INVALID: {
    igniteStatus: 4,
    http: 400,
    text: (reason: string) => `Ouch! Argument is invalid: Cache name ${reason}`,
    cause: 'The name of the cache is empty, too long, or not allowed.',
    remedy: 'Choose another name for the cache.',
  },
  QUERY_CACHE_NAME_EMPTY: {
    http: 400,
    text: () => 'Ouch! Argument is invalid: Cache name must not be null or empty.',
    cause: 'A query has an empty `cacheName`, in compatibility mode reference.',
    remedy: 'Name the cache.',
  },
  METADATA_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string) => `Failed to request meta data. ${name} is not found`,
    cause: 'In compatibility mode reference, `metadata` names a cache, and there is no second node that has it.',
    remedy: 'Omit cacheName: in compatibility mode reference, metadata describes all caches at once.',
  },
  NODE_ID_INVALID: {
    http: 400,
    text: invalidUuid,
    cause: '`id` does not consist of five groups of digits and letters.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  CACHE_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string, _cacheOfTable?: string) => `Failed to find cache for given cache name: ${name}`,
    specificRemedy: cacheOfTable,
    cause:
      'No cache has the name in `cacheName`: it was never created, or has been destroyed. Names are ' +
      'case-sensitive.',
    remedy: 'Create the cache with getorcreate.',
  },
  KEY_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (key: string) => `Failed to find entry for given key: ${key}`,
    cause: 'The command needs an entry, and the cache has none with this key and key type.',
    remedy: 'Store the entry first. It may have expired.',
  },
  COUNTER_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string) => `Failed to find counter: ${name}`,
    cause: 'There is no counter with this name.',
    remedy: 'Create it with incr or decr first. It may have expired.',
  },
  CACHE_IS_SYSTEM: {
    http: 403,
    wrap: 'always',
    text: (name: string) => `Failed to get cache because it is a system cache: ${name}`,
    cause: 'The cache belongs to the service or to the cluster.',
    remedy: 'Use a cache that you have created.',
  },
  QUERY_CACHE_NOT_FOUND: {
    http: 404,
    text: (name: string, _cacheOfTable?: string) => `Failed to find cache with name: ${name}`,
    specificRemedy: cacheOfTable,
    cause: 'No cache has the name in `cacheName` of the query. Names are case-sensitive.',
    remedy: 'Create the cache with getorcreate.',
  },
  CACHE_LIMIT: {
    http: 409,
    wrap: 'always',
    text: (limit: Text) => `Failed to start cache: the number of caches has reached its limit [limit=${limit}]`,
    cause: 'The number of caches and tables has reached `limits.caches`.',
    remedy: 'Destroy caches that are no longer needed, or raise limits.caches.',
  },
  CACHE_DECLARED_OTHERWISE: {
    http: 500,
    wrap: 'always',
    text: (cache: string, what: string, stored: string, declared: string) =>
      `The cache ${cache} has entries, so ${what} cannot change: it is ${stored} in the data folder and ${declared} in ` +
      'the configuration',
    cause: 'The configuration declares an existing cache differently from how its entries are stored.',
    remedy:
      'Declare it as it is stored, or give the declaration another name and copy the entries with export and import. ' +
      'DROP INDEX removes an index.',
  },
  COUNTER_LIMIT: {
    http: 409,
    wrap: 'always',
    text: (limit: Text) => `Failed to create counter: the number of counters has reached its limit [limit=${limit}]`,
    cause: 'The number of counters has reached `limits.counters`.',
    remedy: 'Create counters that expire (`ttlMs`), or raise limits.counters.',
  },
  TEMPLATE_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string, known: readonly string[]) =>
      `Failed to find cache template [templateName=${name}, templates=[${known.join(', ')}]]`,
    cause: 'There is no template with the name in `templateName`.',
    remedy: 'Use one of the templates in the text, or declare this one in the configuration.',
  },
  REGION_NOT_FOUND: {
    http: 404,
    wrap: 'always',
    text: (name: string, known: readonly string[]) =>
      `Failed to find data region [dataRegion=${name}, dataRegions=[${known.join(', ')}]]`,
    cause: 'There is no data region with the name in `dataRegion`.',
    remedy: 'Use one of the data regions in the text, or declare this one in the configuration.',
  },
  REGION_FULL: {
    http: 503,
    wrap: 'always',
    text: (name: string, maxSize: Text) => `Out of memory in data region [name=${name}, maxSize=${maxSize}]`,
    cause: 'The data region has reached its `maxSizeBytes`.',
    remedy: 'Remove entries, or raise the maxSize of the region in the configuration.',
  },
  BACKUPS_NEGATIVE: {
    http: 400,
    wrap: 'always',
    text: (value: Text) => `Number of cache backups must not be negative [backups=${value}]`,
    cause: '`backups` is less than 0.',
    remedy: 'Send a whole number of 0 or more.',
  },
  NOTATION_INVALID: {
    http: 400,
    text: (name: string, value: string, known: string) =>
      `Unknown notation [${name}=${value}] (expected one of: ${known})`,
    parameter: (name: string) => name,
    cause: '`numbers`, `dates`, `errors` or the Prefer header has an unknown value.',
    remedy: 'Send one of the values in the text, or omit the parameter.',
  },
  SLIDING_WITHOUT_TTL: {
    http: 400,
    wrap: 'always',
    text: () => 'Sliding expiry needs a time to live of the cache [sliding=true, ttlMs=0]',
    cause: '`sliding=true` was sent without a time to live for reads to extend.',
    remedy: 'Send ttlMs as well.',
  },
  GROUP_MISMATCH: {
    http: 409,
    wrap: 'always',
    text: (group: string, existing: string, existingBackups: Text, starting: string, startingBackups: Text) =>
      `Backups mismatch for caches related to the same group [groupName=${group}, existingCache=${existing}, ` +
      `existingBackups=${existingBackups}, startingCache=${starting}, startingBackups=${startingBackups}]`,
    cause: 'The cache group has caches with a different number of backups.',
    remedy: 'Give all caches of a group the same number of backups, mode and data region.',
  },
  GROUP_MODE_MISMATCH: {
    http: 409,
    wrap: 'always',
    text: (group: string, existing: string, existingMode: string, starting: string, startingMode: string) =>
      `Cache mode mismatch for caches related to the same group [groupName=${group}, existingCache=${existing}, ` +
      `existingCacheMode=${existingMode}, startingCache=${starting}, startingCacheMode=${startingMode}]`,
    cause: 'The cache group has caches with a different mode.',
    remedy: 'Give all caches of a group the same mode.',
  },
  GROUP_CONFLICT: {
    http: 409,
    wrap: 'always',
    text: (group: string, starting: string) =>
      `Mode, backups or data region differ from those of the other caches of the group [groupName=${group}, ` +
      `startingCache=${starting}]`,
    cause:
      'Like GROUP_MISMATCH, GROUP_MODE_MISMATCH or GROUP_REGION_MISMATCH, for a user who has no rights on another cache of the group.',
    remedy: 'Choose another cache group, or give the cache the settings of the group.',
  },
  GROUP_REGION_MISMATCH: {
    http: 409,
    wrap: 'always',
    text: (group: string, existing: string, existingRegion: string, starting: string, startingRegion: string) =>
      `Data region mismatch for caches related to the same group [groupName=${group}, existingCache=${existing}, ` +
      `existingDataRegion=${existingRegion}, startingCache=${starting}, startingDataRegion=${startingRegion}]`,
    cause: 'The cache group has caches in another data region.',
    remedy: 'Give all caches of a group the same data region.',
  },
  INCOMPATIBLE_TYPES: {
    http: 409,
    wrap: 'always',
    // Ignite also shows the stored value. A client that may put may not always read, and the interceptor may mask it.
    text: (value: string, type: string, oldType: string) =>
      `Incompatible types [appendVal=${value},type=${type}, oldType=${oldType}]`,
    cause: '`append` or `prepend` found a stored value whose type differs from the one sent.',
    remedy: 'Append and prepend strings to strings, lists to lists, and maps to maps.',
  },
});
