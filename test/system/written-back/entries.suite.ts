/**
 * Whatever is read of an entry can be written back: one cache has each sample as a value, another as a key. The line of
 * an export shows whether an entry is the same.
 */
import { expect, test } from 'bun:test';
import { writeExact } from '../../../src/client/exact-json.ts';
import { startService } from '../service-process.ts';
import { CODECS, isNoUnicode } from './codecs.ts';
import { all, bind, checkLaw, type Exception, type Item, type Sample } from './law.ts';
import { clientInput, csvOf, csvRecords, type Parameters, Requests, raw, Source, textOf, write } from './requests.ts';
import type { WrittenBackEngine } from './rows.suite.ts';

const VALUES: readonly Sample[] = CODECS.flatMap(({ name, values }) => values.map((json) => ({ type: name, json })));
const KEYS: readonly Sample[] = CODECS.flatMap(({ name, values, noKey }) =>
  noKey === undefined ? values.map((json) => ({ type: name, json })) : [],
);

/** The samples in two caches, each as the value or the key of an entry, whose other part is its position. */
interface Entries {
  readonly requests: Requests;
  readonly samples: readonly Sample[];
  readonly part: 'key' | 'value';
}

const nameOf = ({ part }: Entries, cache: 'source' | 'target'): string => `${part}-${cache}`;

/** Returns the parameters that name an entry and its value, with the types of the sample. */
function entryOf({ part, samples }: Entries, [at, json, type = samples[at]?.type]: Item): Parameters {
  return part === 'value'
    ? { key: String(at), val: raw(json), valueType: type }
    : { key: raw(json), keyType: type, val: String(at) };
}

/** Returns the items of entries, each as a position and a sample. */
function itemsOf({ part }: Entries, entries: readonly Source[], withTypes: boolean): Item[] {
  const other = part === 'value' ? 'key' : 'value';
  return entries.map((entry): Item => {
    const { json } = entry.at(part);
    const item = [Number(entry.at(other).text), json] as const;
    return withTypes ? [...item, entry.member(`${part}Type`)?.text ?? typeOfJson(json)] : item;
  });
}

/** The type of a value without a declared one, as its JSON implies it. */
function typeOfJson(json: string): string {
  if (json.startsWith('"')) return 'string';
  if (/^(?:true|false)$/.test(json)) return 'boolean';
  return /[.eE]/.test(json) ? 'double' : 'int';
}

const byType = (entries: Entries, items: readonly Item[]): ReadonlyMap<string, readonly Item[]> =>
  Map.groupBy(items, ([at, , type]) => type ?? entries.samples[at]?.type ?? '');

type EntriesReader = (entries: Entries) => Promise<readonly Item[]>;
type EntriesWriter = (entries: Entries, items: readonly Item[]) => Promise<unknown>;

const linesOf = (text: string): Source[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => new Source(line));

/** Ways to read entries in which keys and values look alike. */
const READERS: Readonly<Record<string, EntriesReader>> = {
  qryscanexe: async (entries) => itemsOf(entries, await scanned(entries), false),
  'qryscanexe with numbers as strings': async (entries) =>
    itemsOf(entries, await scanned(entries, 'dates=iso, numbers=string'), false),
  'scan of the TypeScript client': async (entries) => {
    const items: Source[] = [];
    for await (const entry of entries.requests.client.scan({ cacheName: nameOf(entries, 'source') }))
      items.push(new Source(writeExact(entry)));
    return itemsOf(entries, items, false);
  },
  'export as ndjson': async (entries) => {
    const text = await entries.requests.exported({ cacheName: nameOf(entries, 'source'), format: 'ndjson' });
    return itemsOf(entries, linesOf(text), true);
  },
  'export as csv': async (entries) => {
    const text = await entries.requests.exported({ cacheName: nameOf(entries, 'source'), format: 'csv' });
    const [names = [], ...records] = csvRecords(text);
    const objects = records.map((record) => write(Object.fromEntries(record.map((field, at) => [names[at], field]))));
    return itemsOf(
      entries,
      objects.map((each) => new Source(each)),
      true,
    );
  },
  watch: async (entries) => {
    const changes = await entries.requests.changes(nameOf(entries, 'source'));
    const created = changes.filter((each) => each.member('operation')?.text === 'created');
    return itemsOf(entries, created, true);
  },
};

async function scanned(entries: Entries, notation?: string): Promise<readonly Source[]> {
  const query = { cmd: 'qryscanexe', cacheName: nameOf(entries, 'source'), pageSize: 1_000 };
  return (await entries.requests.command(query, notation)).at('items').items;
}

const VALUE_READERS: Readonly<Record<string, EntriesReader>> = {
  ...READERS,
  get: (entries) => each(entries, (key) => got(entries, key, 'dates=iso')),
  'get with numbers as strings': (entries) => each(entries, (key) => got(entries, key, 'dates=iso, numbers=string')),
  'get of the TypeScript client': (entries) =>
    each(entries, async (key) => {
      const value = await entries.requests.client.get({ cacheName: nameOf(entries, 'source'), key });
      return new Source(writeExact(value)).json;
    }),
  getall: async (entries) => {
    const keys = [...entries.samples.keys()].map(String);
    const all = await entries.requests.command({ cmd: 'getall', cacheName: nameOf(entries, 'source'), keys });
    return keys.map((key) => [Number(key), all.at(key).json]);
  },
  'a batch of gets': async (entries) => {
    const cacheName = nameOf(entries, 'source');
    const commands = [...entries.samples.keys()].map((at) => ({ cmd: 'get', cacheName, key: String(at) }));
    const { items } = await entries.requests.command({ cmd: 'batch', commands });
    return items.map((item, at) => [at, item.at('response').json]);
  },
  'GET of entries': (entries) =>
    each(entries, async (key) => {
      const path = `/caches/${nameOf(entries, 'source')}/entries/${key}`;
      return (await entries.requests.resource('GET', path, undefined, { prefer: 'dates=iso' })).text;
    }),
};

/** Ways of a client in another language. */
const PROGRAM_READERS: Readonly<Record<string, EntriesReader>> = {
  qryscanexe: async (entries) => itemsOf(entries, await scanned(entries), false),
  'scan of the program': async (entries) => {
    const entriesRead = await entries.requests.ofProgram('scan', { cacheName: nameOf(entries, 'source') });
    return itemsOf(entries, entriesRead.items, false);
  },
};

const PROGRAM_VALUE_READERS: Readonly<Record<string, EntriesReader>> = {
  ...PROGRAM_READERS,
  'get of the program': (entries) =>
    each(entries, async (key) => {
      const get = { cacheName: nameOf(entries, 'source'), key };
      return (await entries.requests.ofProgram('get', get)).json;
    }),
};

const KEY_READERS: Readonly<Record<string, EntriesReader>> = {
  ...READERS,
  getall: async (entries) => {
    const groups = byType(
      entries,
      entries.samples.map(({ json }, at): Item => [at, json]),
    );
    const items: Item[] = [];
    for (const [keyType, own] of groups) {
      const keys = own.map(([, json]) => raw(json));
      const query = { cmd: 'getall', cacheName: nameOf(entries, 'source'), keyType, keys };
      const all = await entries.requests.command(query);
      items.push(...all.names.map((name): Item => [Number(all.at(name).text), JSON.stringify(name)]));
    }
    return items;
  },
};

async function each({ samples }: Entries, read: (key: string) => Promise<string>): Promise<Item[]> {
  return Promise.all(samples.map(async (_, at): Promise<Item> => [at, await read(String(at))]));
}

async function got(entries: Entries, key: string, notation: string): Promise<string> {
  const query = { cmd: 'get', cacheName: nameOf(entries, 'source'), key };
  return (await entries.requests.command(query, notation)).json;
}

const forEach =
  (store: (entries: Entries, entry: Parameters, item: Item) => Promise<unknown>): EntriesWriter =>
  (entries, items) =>
    all(items.map((item) => store(entries, entryOf(entries, item), item)));

/** Ways to write entries in which keys and values look alike. */
const WRITERS: Readonly<Record<string, EntriesWriter>> = {
  put: forEach((entries, entry) =>
    entries.requests.command({ cmd: 'put', cacheName: nameOf(entries, 'target'), ...entry }),
  ),
  'put of texts': forEach(({ requests, ...entries }, { key, val, ...types }) => {
    const texts = { key: textOf(write(key)), val: textOf(write(val)) };
    return requests.form({ cmd: 'put', cacheName: nameOf({ requests, ...entries }, 'target'), ...texts, ...types });
  }),
  'put of the TypeScript client': forEach((entries, { key, val, ...types }) => {
    const entry = { key: clientInput(write(key)), val: clientInput(write(val)) };
    return entries.requests.client.put({ cacheName: nameOf(entries, 'target'), ...entry, ...types });
  }),
  putall: async (entries, items) => {
    for (const [type, own] of byType(entries, items)) {
      const [samples, others] = [own.map(([, json]) => raw(json)), own.map(([at]) => String(at))];
      const parts =
        entries.part === 'value'
          ? { keys: others, values: samples, valueType: type }
          : { keys: samples, values: others, keyType: type };
      await entries.requests.command({ cmd: 'putall', cacheName: nameOf(entries, 'target'), ...parts });
    }
  },
  'a batch of puts': async (entries, items) => {
    const put = { cmd: 'put', cacheName: nameOf(entries, 'target') };
    const commands = items.map((item) => ({ ...put, ...entryOf(entries, item) }));
    await entries.requests.command({ cmd: 'batch', commands, atomic: !entries.requests.isCluster });
  },
  'PUT of entries': forEach((entries, entry) => entries.requests.resource(...putOf(entries, entry))),
  'dry run and put': forEach(async (entries, entry) => {
    const put = { cacheName: nameOf(entries, 'target'), ...entry };
    if (!entries.requests.isCluster) await entries.requests.command({ cmd: 'dryrun', of: 'put', ...put });
    await entries.requests.command({ cmd: 'put', ...put });
  }),
  'import of ndjson': (entries, items) =>
    entries.requests.imported(
      { cacheName: nameOf(entries, 'target'), format: 'ndjson' },
      items.map((item) => write(recordOf(entryOf(entries, item)))).join('\n'),
    ),
  'import of csv': (entries, items) => {
    const records = items.map((item) => Object.values(recordOf(entryOf(entries, item))).map(write));
    const names = ['key', 'value', 'keyType', 'valueType'];
    return entries.requests.imported({ cacheName: nameOf(entries, 'target'), format: 'csv' }, csvOf(names, records));
  },
};

const PROGRAM_WRITERS: Readonly<Record<string, EntriesWriter>> = {
  put: forEach((entries, entry) =>
    entries.requests.command({ cmd: 'put', cacheName: nameOf(entries, 'target'), ...entry }),
  ),
  'put of the program': forEach((entries, entry) =>
    entries.requests.ofProgram('put', { cacheName: nameOf(entries, 'target'), ...entry }),
  ),
};

/** Also finds the entry by its key. */
const PROGRAM_KEY_WRITERS: Readonly<Record<string, EntriesWriter>> = {
  ...PROGRAM_WRITERS,
  'get and put of the program': forEach(async (entries, entry, [at]) => {
    const { val: _, ...key } = entry;
    const found = await entries.requests.ofProgram('get', { cacheName: nameOf(entries, 'source'), ...key });
    expect(found.text).toBe(String(at));
    await entries.requests.ofProgram('put', { cacheName: nameOf(entries, 'target'), ...entry });
  }),
};

function recordOf({ key, val, keyType, valueType }: Parameters): Parameters {
  return { key, value: val, keyType: keyType ?? 'string', valueType: valueType ?? 'string' };
}

function putOf(entries: Entries, { key, val, ...types }: Parameters): [method: string, path: string, body: string] {
  const address = encodeURIComponent(textOf(write(key)));
  const query = new URLSearchParams(types as Record<string, string>);
  return ['PUT', `/caches/${nameOf(entries, 'target')}/entries/${address}?${query}`, write(val)];
}

/** Ways to compare with a value that is stored. */
const VALUE_WRITERS: Readonly<Record<string, EntriesWriter>> = {
  ...WRITERS,
  'cas and put': forEach(async (entries, { val, ...entry }) => {
    const same = { cacheName: nameOf(entries, 'source'), ...entry, val, val2: val };
    expect((await entries.requests.command({ cmd: 'cas', ...same })).json).toBe('true');
    await entries.requests.command({ cmd: 'put', cacheName: nameOf(entries, 'target'), ...entry, val });
  }),
  'rmvval and put': forEach(async (entries, entry) => {
    const target = { cacheName: nameOf(entries, 'target'), ...entry };
    await entries.requests.command({ cmd: 'put', ...target });
    expect((await entries.requests.command({ cmd: 'rmvval', ...target })).json).toBe('true');
    await entries.requests.command({ cmd: 'put', ...target });
  }),
};

/** Ways to find an entry by its key. */
const KEY_WRITERS: Readonly<Record<string, EntriesWriter>> = {
  ...WRITERS,
  'get and put': forEach(async (entries, entry, [at]) => {
    const { val: _, ...key } = entry;
    const source = { cacheName: nameOf(entries, 'source'), ...key };
    expect((await entries.requests.command({ cmd: 'get', ...source })).text).toBe(String(at));
    expect((await entries.requests.command({ cmd: 'conkey', ...source })).json).toBe('true');
    await entries.requests.command({ cmd: 'put', cacheName: nameOf(entries, 'target'), ...entry });
  }),
  'GET and put': forEach(async (entries, entry, [at]) => {
    const [, path] = putOf(entries, entry);
    const source = path.replace(nameOf(entries, 'target'), nameOf(entries, 'source'));
    expect((await entries.requests.resource('GET', source)).text).toBe(`"${at}"`);
    await entries.requests.command({ cmd: 'put', cacheName: nameOf(entries, 'target'), ...entry });
  }),
  'rmv and put': forEach(async (entries, entry) => {
    const { val: _, ...key } = entry;
    const cacheName = nameOf(entries, 'target');
    await entries.requests.command({ cmd: 'put', cacheName, ...entry });
    expect((await entries.requests.command({ cmd: 'rmv', cacheName, ...key })).json).toBe('true');
    await entries.requests.command({ cmd: 'put', cacheName, ...entry });
  }),
};

const OF_CLIENT = [
  ...['get of the TypeScript client', 'scan of the TypeScript client'],
  ...['get of the program', 'scan of the program'],
];
const STRINGS = ['qryscanexe with numbers as strings', 'get with numbers as strings'];

function exceptionsOf({ isCluster }: WrittenBackEngine, part: Entries['part']): readonly Exception[] {
  const ofLists: Exception = {
    types: ['list'],
    values: ['[0.12345678901234567890]', '[9007199254740993]'],
    read: STRINGS,
    reason: 'a string in a list has no type that says that it was a number',
  };
  const ofObjects: Exception = {
    types: ['Own'],
    values: ['{"g":0.12345678901234567890}'],
    read: STRINGS,
    reason: 'nor has a string in an object, except in a cluster, which keeps the first type of a field',
  };
  const ofTexts: Exception = {
    values: VALUES.map(({ json }) => json).filter(isNoUnicode),
    read: Object.keys({ ...VALUE_READERS, ...KEY_READERS }).filter((read) => read !== 'export as csv'),
    write: ['put of texts', 'import of csv', ...(part === 'key' ? ['PUT of entries', 'GET and put'] : [])],
    reason: 'addresses, forms and CSV are UTF-8, which has no lone surrogates; the export as CSV escapes them',
  };
  const ofDates: readonly Exception[] = [
    {
      types: ['time'],
      values: ['"10:11:12.5"', '"23:59:59.999"'],
      read: OF_CLIENT,
      reason: 'as in Ignite, the usual form of a time has no fraction, and the client has no other',
    },
    {
      types: ['java.util.Date'],
      read: OF_CLIENT,
      reason: 'as in Ignite, the usual form of a java.util.Date has no milliseconds, and the client has no other',
    },
  ];
  return isCluster ? [ofLists, ...ofDates] : [ofLists, ofObjects, ofTexts, ...ofDates];
}

/** Stores all samples in a cache, and returns its name. */
export async function storeEntries(requests: Requests, part: Entries['part']): Promise<string> {
  const entries = { requests, part, samples: part === 'value' ? VALUES : KEYS };
  const cacheName = nameOf(entries, 'source');
  await requests.command({ cmd: 'getorcreate', cacheName });
  await storeSamples(entries);
  return cacheName;
}

async function storeSamples(entries: Entries): Promise<void> {
  for (const [at, { json }] of entries.samples.entries()) {
    const put = { cmd: 'put', cacheName: nameOf(entries, 'source'), ...entryOf(entries, [at, json]) };
    await entries.requests.command(put);
  }
}

/** Runs the law for all types of values and keys. */
export function runEntriesSuite(
  engine: WrittenBackEngine,
  exceptions: Readonly<Record<Entries['part'], readonly Exception[]>> = { key: [], value: [] },
): void {
  const run = async (part: 'key' | 'value'): Promise<void> => {
    await using service = await startService({ env: engine.environment() });
    await using program = await engine.startProgram?.(service.url);
    const requests = new Requests(service, engine.isCluster, program);
    const known = part === 'value' ? VALUES : KEYS;
    // A cluster cannot store them (docs/differences.md, row 90).
    const samples = engine.isCluster ? known.filter(({ json }) => !isNoUnicode(json)) : known;
    const entries: Entries = { requests, part, samples };
    for (const cache of ['source', 'target'] as const) {
      const feed = engine.isCluster ? {} : { changeFeed: true };
      await requests.command({ cmd: 'getorcreate', cacheName: nameOf(entries, cache), ...feed });
    }
    await storeSamples(entries);
    const [ownReaders, ownWriters] = part === 'value' ? [VALUE_READERS, VALUE_WRITERS] : [KEY_READERS, KEY_WRITERS];
    const [programReaders, programWriters] =
      part === 'value' ? [PROGRAM_VALUE_READERS, PROGRAM_WRITERS] : [PROGRAM_READERS, PROGRAM_KEY_WRITERS];
    const { watch, ...all } = bind(program === undefined ? ownReaders : programReaders, entries);
    // On the wire, a java.util.Date whose milliseconds the client does not show can be the same key as a date.
    const isLeftOut = (name: string): boolean => engine.isCluster && part === 'key' && OF_CLIENT.includes(name);
    const readers = Object.fromEntries(Object.entries(all).filter(([name]) => !isLeftOut(name)));
    await checkLaw({
      name: `${part}s of entries`,
      samples: entries.samples,
      readers: engine.isCluster || watch === undefined ? readers : { ...readers, watch },
      writers: bind(program === undefined ? ownWriters : programWriters, entries),
      exceptions: [...exceptionsOf(engine, part), ...exceptions[part]],
      clear: () => requests.command({ cmd: 'clear', cacheName: nameOf(entries, 'target') }),
      stored: async (from) => {
        const text = await requests.exported({ cacheName: nameOf(entries, from), format: 'ndjson' });
        const lines = text === '' ? [] : linesOf(text);
        const other = part === 'value' ? 'key' : 'value';
        const sample = (line: Source): string => `${line.at(part).json} ${line.member(`${part}Type`)?.json}`;
        return new Map(lines.map((line) => [Number(line.at(other).text), sample(line)]));
      },
    });
  };
  test('values of each type', () => run('value'), engine.limitMs);
  test('keys of each type', () => run('key'), engine.limitMs);
}
