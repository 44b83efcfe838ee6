/** Changes of entries that throw LargeEntry when they would store, return or replace a large value on this thread. */
import { GridError } from '../../../base/errors.ts';
import { type Entries, type Entry, isReadOfEntries, type SingleCall } from '../../../grid/grid.ts';
import { LargeEntry } from '../../../grid/large-entries.ts';
import type { Value } from '../../../values/value.ts';
import type { Argument, EntryOperation } from '../writer/changes.ts';
import type { entryMethods } from '../writer/entry-operations.ts';
import { type CacheReaders, LARGE_CHARACTERS, MANY_KEYS } from './cache-readers.ts';

type Methods = ReturnType<typeof entryMethods>;

/** The operations, and whether they read the value before the change. */
const READS_OLD: { readonly [N in EntryOperation]: boolean } = {
  put: false,
  putAll: false,
  putIfAbsent: true,
  getAndPut: true,
  getAndPutIfAbsent: true,
  replace: true,
  getAndReplace: true,
  replaceIfEquals: true,
  remove: true,
  getAndRemove: true,
  removeIfEquals: true,
  removeAll: false,
  clear: false,
  append: true,
  prepend: true,
  updateTtl: true,
};

/** Returns the methods with the check. */
export function boundedMethods(methods: Methods, readers: CacheReaders): Methods {
  const bounded = Object.entries(READS_OLD).map(([name, readsOld]) => {
    // Every method of the table takes the cache, then its own arguments.
    const run: (cache: string, ...args: readonly Argument[]) => unknown = Reflect.get(methods, name);
    const method = (cache: string, ...args: readonly Argument[]): unknown => {
      const [key] = args;
      if (isLarge(args) || (readsOld && isKey(key) && readers.open(cache).isLarge(key))) throw new LargeEntry();
      return run(cache, ...args);
    };
    return [name, method];
  });
  const { put } = methods;
  return {
    ...(Object.fromEntries(bounded) as Methods),
    // The most frequent change, without lists of arguments.
    put(cache, key, value, ttlMs) {
      if (lengthOf(value) > LARGE_CHARACTERS) throw new LargeEntry();
      return put(cache, key, value, ttlMs);
    },
  };
}

/** Reports whether a change stores, returns or replaces a large value, or many entries. False for one that fails. */
export function isLargeChange(call: SingleCall, readers: CacheReaders): boolean {
  if (call.kind === 'counter' || !isChange(call.name)) return false;
  const [cache, ...args]: readonly [string, ...unknown[]] = call.args;
  // A change has the arguments of its operation.
  const [key] = args as readonly Argument[];
  if (isLarge(args as readonly Argument[])) return true;
  if (!READS_OLD[call.name] || !isKey(key)) return false;
  try {
    return readers.open(cache).isLarge(key);
  } catch (error) {
    if (error instanceof GridError) return false;
    throw error;
  }
}

function isChange(name: keyof Entries): name is EntryOperation {
  return !isReadOfEntries(name);
}

/** Reports whether the values of a change are large together, or there are many. */
function isLarge(args: readonly Argument[]): boolean {
  let characters = 0;
  for (const argument of args) {
    if (Array.isArray(argument) && argument.length > MANY_KEYS) return true;
    if (Array.isArray(argument)) for (const each of argument) characters += isEntry(each) ? lengthOf(each.value) : 0;
    else if (isKey(argument)) characters += lengthOf(argument);
  }
  return characters > LARGE_CHARACTERS;
}

function isKey(argument: Argument): argument is Value {
  return typeof argument === 'object' && argument !== null && !Array.isArray(argument);
}

function isEntry(each: Value | Entry): each is Entry {
  return 'key' in each;
}

/** Returns the characters of a text, or the bytes of a binary value. */
export function lengthOf(value: Value): number {
  return value.type === 'string' || value.type === 'bytes' ? value.data.length : 0;
}
