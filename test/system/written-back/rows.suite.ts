/**
 * Whatever is read of a row can be written back: a table has a column of each type, and each value is in its rows once.
 * The line of an export shows whether a row is the same.
 */
import { expect, test } from 'bun:test';
import { writeExact } from '../../../src/client/exact-json.ts';
import { startService } from '../service-process.ts';
import type { ClientProgram } from './client-program.ts';
import { COLUMN_CODECS, type ColumnCodec, literalOf, typeNameOf, valuesOf } from './codecs.ts';
import { all, bind, checkLaw, type Exception, type Item, type Sample } from './law.ts';
import { clientInput, csvOf, csvRecords, type Parameters, Requests, raw, Source, textOf } from './requests.ts';

/** The engine under which a suite runs. */
export interface WrittenBackEngine {
  readonly isCluster: boolean;
  readonly limitMs: number;
  environment(): Readonly<Record<string, string>>;
  /** Starts a client in another language, whose ways are then checked instead of all others. */
  startProgram?(url: string): Promise<ClientProgram>;
}

/** A value in its column and row. */
interface Cell extends Sample {
  readonly codec: ColumnCodec;
  readonly column: string;
  readonly id: number;
}

const CELLS: readonly Cell[] = COLUMN_CODECS.flatMap((codec) =>
  valuesOf(codec).map((json, id) => ({ type: codec.sql, json, codec, column: columnOf(codec), id })),
);
const IDS = [...new Set(CELLS.map(({ id }) => id))];
const SOURCE = 'LAW_SOURCE';
const TARGET = 'LAW_TARGET';

const cacheOf = (table: string): string => `SQL_PUBLIC_${table}`;

function columnOf({ sql }: ColumnCodec): string {
  return `C_${sql.replace(/\W+/g, '_')}`;
}

/** A row to write, with those of its columns that have been read. */
interface Row {
  readonly id: number;
  readonly cells: ReadonlyArray<{ readonly cell: Cell; readonly json: string }>;
}

function rowsOf(items: readonly Item[]): Row[] {
  const rows = Map.groupBy(items, ([at]) => CELLS[at]?.id ?? -1);
  return [...rows].map(([id, own]) => ({
    id,
    cells: own.flatMap(([at, json]) => {
      const cell = CELLS[at];
      return cell === undefined ? [] : [{ cell, json }];
    }),
  }));
}

/** Returns all cells, of rows by their ids. */
function itemsOf(rows: ReadonlyMap<number, (column: string) => string>): Item[] {
  return CELLS.flatMap(({ id, column }, at): Item[] => {
    const read = rows.get(id);
    return read === undefined ? [] : [[at, read(column)]];
  });
}

function itemsOfObjects(rows: readonly Source[]): Item[] {
  return itemsOf(new Map(rows.map((row) => [Number(row.at('ID').json), (column) => row.at(column).json])));
}

function itemsOfEntries(entries: ReadonlyArray<readonly [key: string, value: Source]>): Item[] {
  return itemsOf(new Map(entries.map(([key, value]) => [Number(key), (column) => value.at(column).json])));
}

const READERS: Readonly<Record<string, (requests: Requests) => Promise<readonly Item[]>>> = {
  select: (requests) => selected(requests, 'dates=iso'),
  'select with numbers as strings': (requests) => selected(requests, 'dates=iso, numbers=string'),
  'select with dates as texts': (requests) => selected(requests, 'dates=text'),
  'query of the TypeScript client': async (requests) => {
    const columns = COLUMN_CODECS.map(columnOf);
    const rows = new Map<number, (column: string) => string>();
    for await (const row of requests.client.query(`SELECT ID, ${columns.join(', ')} FROM ${SOURCE}`))
      rows.set(Number(row[0]), (column) => new Source(writeExact(row[columns.indexOf(column) + 1])).json);
    return itemsOf(rows);
  },
  qryexe: async (requests) => {
    const query = { cmd: 'qryexe', cacheName: cacheOf(SOURCE), type: SOURCE, pageSize: 1_000, qry: 'ID >= 0' };
    const { items } = (await requests.command(query)).at('items');
    return itemsOfEntries(items.map((item) => [item.at('key').json, item.at('value')]));
  },
  qryscanexe: async (requests) => {
    const query = { cmd: 'qryscanexe', cacheName: cacheOf(SOURCE), pageSize: 1_000 };
    const { items } = (await requests.command(query)).at('items');
    return itemsOfEntries(items.map((item) => [item.at('key').json, item.at('value')]));
  },
  getall: async (requests) => {
    const all = await requests.command({ cmd: 'getall', cacheName: cacheOf(SOURCE), keyType: 'int', keys: IDS });
    return itemsOfEntries(all.names.map((name) => [name, all.at(name)]));
  },
  rows: async (requests) =>
    itemsOfObjects(new Source((await requests.resource('GET', `/tables/${SOURCE}/rows`)).text).items),
  'pages of rows': async (requests) => (await Promise.all(COLUMN_CODECS.map((codec) => paged(requests, codec)))).flat(),
  'export as ndjson': async (requests) => itemsOfObjects(await exportedRows(requests, SOURCE)),
  'export as csv': async (requests) => {
    const [names = [], ...records] = csvRecords(await requests.exported({ table: SOURCE, format: 'csv' }));
    const read = (record: readonly (string | null)[]) => (column: string) =>
      JSON.stringify(record[names.indexOf(column)] ?? null);
    return itemsOf(new Map(records.map((record) => [Number(record[names.indexOf('ID')]), read(record)])));
  },
  watch: async (requests) => {
    const changes = (await requests.changes(cacheOf(SOURCE))).filter((each) => each.member('value') !== undefined);
    return itemsOfEntries(changes.map((each) => [each.at('key').json, each.at('value')]));
  },
};

/** Ways of a client in another language. */
const PROGRAM_READERS: typeof READERS = {
  select: (requests) => selected(requests, 'dates=iso'),
  'query of the program': async (requests) => {
    const columns = COLUMN_CODECS.map(columnOf);
    const query = { qry: `SELECT ID, ${columns.join(', ')} FROM ${SOURCE}` };
    return itemsOfRows((await requests.ofProgram('query', query)).items);
  },
};

async function selected(requests: Requests, notation: string): Promise<Item[]> {
  const columns = COLUMN_CODECS.map(columnOf);
  const { items } = (await requests.run(`SELECT ID, ${columns.join(', ')} FROM ${SOURCE}`, {}, notation)).at('items');
  return itemsOfRows(items);
}

/** Returns the items of rows that have an id and then all columns. */
function itemsOfRows(rows: readonly Source[]): Item[] {
  const columns = COLUMN_CODECS.map(columnOf);
  const read = (values: readonly Source[]) => (column: string) => values[columns.indexOf(column) + 1]?.json ?? '';
  return itemsOf(new Map(rows.map(({ items: values }) => [Number(values[0]?.json), read(values)])));
}

/** Reads a column in its order, one row per page: each address has the value of the previous row. */
async function paged(requests: Requests, codec: ColumnCodec): Promise<Item[]> {
  const column = columnOf(codec);
  const rows = new Map<number, string>();
  let path: string | undefined =
    `/tables/${SOURCE}/rows?order=${column}&limit=1&select=ID,${column}&ID=lt.${valuesOf(codec).length}`;
  while (path !== undefined) {
    const page = await requests.resource('GET', path);
    for (const row of new Source(page.text).items) rows.set(Number(row.at('ID').json), row.at(column).json);
    path = /<\/svc([^>]*)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  return CELLS.flatMap((cell, at): Item[] => {
    const json = cell.codec === codec ? rows.get(cell.id) : undefined;
    return json === undefined ? [] : [[at, json]];
  });
}

/** Returns the rows of a table in the order of their ids. */
async function exportedRows(requests: Requests, table: string): Promise<readonly Source[]> {
  const text = await requests.exported({ table, format: 'ndjson' });
  if (text === '') return [];
  return text
    .trimEnd()
    .split('\n')
    .map((line) => new Source(line));
}

type RowsWriter = (requests: Requests, rows: readonly Row[]) => Promise<unknown>;

const objectOf = ({ cells }: Row): string => `{${cells.map(({ cell, json }) => `"${cell.column}":${json}`).join(',')}}`;
const objectsOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => objectOf(row).replace(/^\{/, `{"ID":${row.id}${row.cells.length === 0 ? '' : ','}`));

const forEach =
  (write: (requests: Requests, row: Row) => Promise<unknown>): RowsWriter =>
  (requests, rows) =>
    all(rows.map((row) => write(requests, row)));

/** Changes rows that exist. */
const afterInsert =
  (write: RowsWriter): RowsWriter =>
  async (requests, rows) => {
    await requests.run(`INSERT INTO ${TARGET} (ID) VALUES ${rows.map(({ id }) => `(${id})`).join(', ')}`);
    await write(requests, rows);
  };

const ROW_WRITERS: Readonly<Record<string, RowsWriter>> = {
  'insert of literals': forEach((requests, row) => {
    const literals = row.cells.map(({ cell, json }) => literalOf(cell.codec, json));
    return requests.run(insertOf(row).replace(/\?/g, () => literals.shift() ?? String(row.id)));
  }),
  'insert of arguments': forEach((requests, row) => requests.run(insertOf(row), { args: argumentsOf(row) })),
  'insert of the TypeScript client': forEach((requests, row) => {
    // The type of arguments has no null.
    const own = { ...row, cells: row.cells.filter(({ json }) => json !== 'null') };
    const args = [...own.cells.map(({ json }) => clientInput(json)), row.id];
    return requests.client.qryfldexe({ pageSize: 1, qry: insertOf(own), args, ...typesOf(own) });
  }),
  'insert of arguments with types': forEach((requests, row) =>
    requests.run(insertOf(row), { args: argumentsOf(row), ...typesOf(row) }),
  ),
  'insert of arguments as texts': forEach((requests, row) => {
    const texts = row.cells.map(({ json }) => (json === 'null' ? null : textOf(json)));
    return requests.run(insertOf(row), { args: [...texts, String(row.id)] });
  }),
  'merge of arguments': forEach((requests, row) =>
    requests.run(insertOf(row).replace('INSERT', 'MERGE'), { args: argumentsOf(row), ...typesOf(row) }),
  ),
  'update with arguments': afterInsert(
    forEach((requests, row) => {
      const set = row.cells.map(({ cell }) => `${cell.column} = ?`).join(', ');
      return requests.run(`UPDATE ${TARGET} SET ${set} WHERE ID = ?`, { args: argumentsOf(row), ...typesOf(row) });
    }),
  ),
  'a batch of inserts': async (requests, rows) => {
    const commands = rows.map((row) => ({ cmd: 'qryfldexe', pageSize: 1, qry: insertOf(row), args: argumentsOf(row) }));
    const results = await requests.command({ cmd: 'batch', commands });
    for (const result of results.items) expect(result.at('error').json).toBe('null');
  },
  putall: (requests, rows) => {
    const values = rows.map((row) => raw(objectOf(row)));
    const types = { keyType: 'int', valueType: TARGET };
    return requests.command({
      cmd: 'putall',
      cacheName: cacheOf(TARGET),
      keys: rows.map(({ id }) => id),
      values,
      ...types,
    });
  },
  'put of texts': forEach((requests, row) => {
    const key = { cacheName: cacheOf(TARGET), key: row.id, keyType: 'int' };
    return requests.form({ cmd: 'put', ...key, val: objectOf(row), valueType: TARGET });
  }),
  'PUT of entries': forEach((requests, row) => {
    const path = `/caches/${cacheOf(TARGET)}/entries/${row.id}?keyType=int&valueType=${TARGET}`;
    return requests.resource('PUT', path, objectOf(row));
  }),
  'PUT of rows': forEach((requests, row) =>
    requests.resource('PUT', `/tables/${TARGET}/rows/${row.id}`, objectOf(row)),
  ),
  'PATCH of rows': afterInsert(
    forEach((requests, row) => requests.resource('PATCH', `/tables/${TARGET}/rows/${row.id}`, objectOf(row))),
  ),
  'PATCH of rows by a filter': afterInsert(
    forEach((requests, row) => requests.resource('PATCH', `/tables/${TARGET}/rows?ID=eq.${row.id}`, objectOf(row))),
  ),
  'POST of rows': (requests, rows) =>
    requests.resource('POST', `/tables/${TARGET}/rows`, `[${objectsOf(rows).join(',')}]`),
  'POST of rows as ndjson': (requests, rows) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    return requests.resource('POST', `/tables/${TARGET}/rows`, objectsOf(rows).join('\n'), headers);
  },
  'POST of rows as csv': (requests, rows) =>
    requests.resource('POST', `/tables/${TARGET}/rows`, csvOfRows(rows), { 'content-type': 'text/csv' }),
  'import of ndjson': (requests, rows) =>
    requests.imported({ table: TARGET, format: 'ndjson' }, objectsOf(rows).join('\n')),
  'import of csv': (requests, rows) => requests.imported({ table: TARGET, format: 'csv' }, csvOfRows(rows)),
  'dry run and insert': forEach(async (requests, row) => {
    const statement = { qry: insertOf(row), args: argumentsOf(row), ...typesOf(row), pageSize: 1 };
    if (!requests.isCluster) await requests.command({ cmd: 'dryrun', of: 'qryfldexe', ...statement });
    await requests.run(statement.qry, statement);
  }),
  filters: forEach(async (requests, row) => {
    for (const { cell, json } of row.cells) {
      const filter = json === 'null' ? 'is.null' : `eq.${encodeURIComponent(textOf(json))}`;
      const found = await requests.resource('GET', `/tables/${SOURCE}/rows?select=ID&${cell.column}=${filter}`);
      const ids = new Source(found.text).items.map((each) => Number(each.at('ID').json));
      if (!ids.includes(row.id)) throw new Error(`${cell.column}=${filter} finds ${ids}`);
    }
    const columns = ['ID', ...row.cells.map(({ cell }) => cell.column)].join(', ');
    await requests.run(`INSERT INTO ${TARGET} (${columns}) SELECT ${columns} FROM ${SOURCE} WHERE ID = ${row.id}`);
  }),
};

const PROGRAM_WRITERS: Readonly<Record<string, RowsWriter>> = {
  'insert of arguments with types': forEach((requests, row) =>
    requests.run(insertOf(row), { args: argumentsOf(row), ...typesOf(row) }),
  ),
  'insert of the program': forEach((requests, row) => insertByProgram(requests, row, {})),
  'insert of the program with types': forEach((requests, row) => insertByProgram(requests, row, typesOf(row))),
};

function insertByProgram(requests: Requests, row: Row, types: Parameters): Promise<unknown> {
  return requests.ofProgram('qryfldexe', { pageSize: 1, qry: insertOf(row), args: argumentsOf(row), ...types });
}

const ofItems = (writers: Readonly<Record<string, RowsWriter>>) =>
  Object.fromEntries(
    Object.entries(writers).map(([name, write]) => [
      name,
      (requests: Requests, items: readonly Item[]) => write(requests, rowsOf(items)),
    ]),
  );

function insertOf({ cells }: Row, table = TARGET): string {
  const columns = [...cells.map(({ cell }) => cell.column), 'ID'];
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

function argumentsOf({ id, cells }: Row): readonly unknown[] {
  return [...cells.map(({ json }) => raw(json)), id];
}

function typesOf({ cells }: Row): Parameters {
  const typed = cells.flatMap(({ cell, json }, at) =>
    json === 'null' ? [] : [[`arg${at + 1}Type`, typeNameOf(cell.codec)] as const],
  );
  return Object.fromEntries(typed);
}

/** Writes rows that have all columns of the first one, or NULL for them. */
function csvOfRows(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ cell }) => cell.column)))];
  const fields = rows.map(({ id, cells }) => [
    String(id),
    ...columns.map((column) => cells.find(({ cell }) => cell.column === column)?.json ?? 'null'),
  ]);
  return csvOf(['ID', ...columns], fields);
}

/** The exceptions of both engines. */
const EXCEPTIONS: readonly Exception[] = [
  {
    types: ['TIME'],
    values: ['"10:11:12.5"', '"23:59:59.999"'],
    read: ['select with dates as texts', 'query of the TypeScript client', 'query of the program', 'watch'],
    reason: 'as in Ignite, the usual form of a TIME has no fraction; dates=iso has it',
  },
  {
    types: ['BINARY'],
    values: ['"AQI="', '"true"', '"1234"', '"++//"'],
    write: ['insert of arguments', 'insert of arguments as texts', 'a batch of inserts', 'insert of the program'],
    reason: 'as in Ignite, a text becomes BINARY by its hexadecimal digits; arg1Type=[B reads Base64',
  },
];

async function createTable(requests: Requests, table: string): Promise<void> {
  const columns = COLUMN_CODECS.map((codec) => `${columnOf(codec)} ${codec.sql}`).join(', ');
  const form = `VALUE_TYPE=${table}${requests.isCluster ? '' : ',CHANGE_FEED=true'}`;
  await requests.run(`CREATE TABLE ${table} (ID INT PRIMARY KEY, ${columns}) WITH "${form}"`);
}

/** Stores all samples in a table, and returns its name. */
export async function storeRows(requests: Requests): Promise<string> {
  await createTable(requests, SOURCE);
  for (const row of rowsOf(CELLS.map(({ json }, at): Item => [at, json])))
    await requests.run(insertOf(row, SOURCE), { args: argumentsOf(row), ...typesOf(row) });
  return SOURCE;
}

/** Runs the law for all types of columns. */
export function runRowsSuite(engine: WrittenBackEngine, exceptions: readonly Exception[]): void {
  const run = async (): Promise<void> => {
    await using service = await startService({ env: engine.environment() });
    await using program = await engine.startProgram?.(service.url);
    const requests = new Requests(service, engine.isCluster, program);
    await createTable(requests, TARGET);
    await storeRows(requests);
    const { watch, ...others } = bind(program === undefined ? READERS : PROGRAM_READERS, requests);
    await checkLaw({
      name: 'columns',
      samples: CELLS,
      readers: engine.isCluster || watch === undefined ? others : { ...others, watch },
      writers: bind(ofItems(program === undefined ? ROW_WRITERS : PROGRAM_WRITERS), requests),
      exceptions: [...EXCEPTIONS, ...exceptions],
      clear: () => requests.command({ cmd: 'clear', cacheName: cacheOf(TARGET) }),
      stored: async (from) =>
        new Map(
          itemsOfObjects(await exportedRows(requests, from === 'source' ? SOURCE : TARGET)).map(([at, json]) => [
            at,
            json,
          ]),
        ),
    });
  };
  test('columns of each type', run, engine.limitMs);
}
