/**
 * A cache's entries: reads those selected by filters, as rows of the table that statements have for them. A name that
 * is not one of its columns is a path into the values.
 */
import { GridError, gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { namedCacheOf } from '../grid/declarations.ts';
import { ENTRIES_TABLE, quotedTable } from '../grid/table-names.ts';
import type { Outcome } from '../service/request.ts';
import { SCALAR_TRAITS } from '../values/scalar-traits.ts';
import { scalarTypeNamed } from '../values/type-names.ts';
import type { ScalarTypeName } from '../values/value.ts';
import { failureAnswer, rejected } from './answers.ts';
import type { ResourceCall } from './call.ts';
import { readRows } from './rows.ts';
import { sql } from './sql.ts';
import { runStatement } from './statements.ts';
import { type Column, columnOfType, type Selection, selectionOf, type Table } from './tables.ts';

/** Key types that statements and pages can order. */
const KEY_TYPES: ReadonlySet<ScalarTypeName> = new Set<ScalarTypeName>(['string', 'byte', 'short', 'integer', 'long']);

export function entriesAnswer(call: ResourceCall): MaybePromise<Outcome> {
  const cache = namedCacheOf(call.segments[0] ?? '', call.options.defaultCache);
  return chain(call.options.caches.find(cache), (definition) => {
    const declared = definition?.entities.length === 1 ? definition.entities[0]?.keyType : undefined;
    try {
      const given = call.pairs.find(([name]) => name === KEY_TYPE)?.[1];
      const table = entriesOf(cache, keyTypeOf(given ?? declared ?? 'string', given !== undefined));
      const others = { ...call, pairs: call.pairs.filter(([name]) => name !== KEY_TYPE) };
      return chain(readRows(others, table, table.ofType), (outcome) => withoutCache(outcome, cache));
    } catch (error) {
      if (!(error instanceof GridError)) throw error;
      return afterReading(call, cache, error);
    }
  });
}

const KEY_TYPE = 'keyType';

function keyTypeOf(written: string, isGiven: boolean): ScalarTypeName {
  const type = scalarTypeNamed(written);
  if (type !== undefined && KEY_TYPES.has(type)) return type;
  const names = [...KEY_TYPES].map((each) => SCALAR_TRAITS[each].names[0]).join(', ');
  const reason = `entries are listed by keys of the types ${names}, and statements read all (qryfldexe)`;
  throw gridError('RESOURCE_INVALID', isGiven ? `parameter ${KEY_TYPE}` : 'address', reason);
}

/** Responds with the request's error, or with the reason why its sender may not read the cache. */
function afterReading(call: ResourceCall, cache: string, error: GridError): MaybePromise<Outcome> {
  const { quoted } = entriesOf(cache, 'string');
  return chain(runStatement(call, sql(`SELECT 1 FROM ${quoted} WHERE 1 = 0`)), (outcome) =>
    outcome.successStatus === 0 ? rejected(error, undefined, outcome) : withoutCache(outcome, cache),
  );
}

/** Returns an outcome. For a statement over a cache that does not exist, it is the commands' error. */
function withoutCache(outcome: Outcome, cache: string): Outcome {
  if (outcome.failure?.code !== 'SQL_OBJECT_NOT_FOUND') return outcome;
  return failureAnswer(rejected(gridError('CACHE_NOT_FOUND', cache), undefined, outcome));
}

interface EntriesTable extends Table {
  /** The condition for entries whose keys have the type. */
  readonly ofType: string;
}

/** Tables by cache name and key type: requests repeat a few. */
const known = new Map<string, EntriesTable>();
/** Names come from clients: different ones each time must not fill the memory. */
const MAX_TABLES = 100;
const MAX_PATHS = 100;

function entriesOf(cache: string, keyType: ScalarTypeName): EntriesTable {
  const name = `${keyType} ${cache}`;
  let table = known.get(name);
  if (table === undefined) {
    table = tableOf(cache, keyType);
    if (known.size === MAX_TABLES) known.clear();
    known.set(name, table);
  }
  return table;
}

function tableOf(cache: string, keyType: ScalarTypeName): EntriesTable {
  const from = quotedTable({ schema: cache, name: ENTRIES_TABLE });
  const of = (name: string, column: string, type: ScalarTypeName | undefined, isNullable: boolean): Column => {
    const quoted = `${from}."${column}"`;
    return { ...columnOfType(from, column, type, isNullable), name, quoted, shown: `"${column}"`, ordered: quoted };
  };
  const key = [of('key', '_KEY', keyType, false)];
  const value = of('value', '_VAL', undefined, false);
  const columns = [
    ...key,
    value,
    of('valueType', 'VALUE_TYPE', 'string', false),
    of('expires', 'EXPIRES', 'timestamp', true),
  ];
  const all: Selection = selectionOf(
    columns.map((column) => ({ column, name: column.name })),
    from,
  );
  const byName = new Map(columns.map((column) => [column.name, column]));
  const paths = new Map<string, Column | undefined>();
  return {
    quoted: from,
    columns,
    key,
    all,
    keySql: `${from}."_KEY" = ?`,
    rowSql: `${all.sql} WHERE ${from}."_KEY" = ?`,
    ofType: `${from}."KEY_TYPE" = '${keyType}'`,
    column(written) {
      const column = byName.get(written) ?? paths.get(written);
      if (column !== undefined) return column;
      const created = pathColumn(value.quoted, written);
      if (created === undefined) return undefined;
      if (paths.size === MAX_PATHS) paths.clear();
      paths.set(written, created);
      return created;
    },
  };
}

const SEGMENT = /^([^[\]]*)((?:\[\d{1,9}\])*)$/;

/** Returns the column for a path, `home.city`, `tags[0]` or `$.key`, or undefined if it is not a path. */
function pathColumn(value: string, written: string): Column | undefined {
  const steps = (written.startsWith('$.') ? written.slice(2) : written)
    .split('.')
    .map((segment) => SEGMENT.exec(segment));
  let path = '$';
  for (const step of steps) {
    const [, name = '', indexes = ''] = step ?? [];
    if (name === '') return undefined;
    path += `.${JSON.stringify(name)}${indexes}`;
  }
  const literal = `'${path.replaceAll("'", "''")}'`;
  const as = (type: ScalarTypeName, returning: string): Column => {
    const text = `JSON_VALUE(${value}, ${literal}${returning})`;
    return { name: written, quoted: text, type, isNullable: true, isRequired: false, shown: text, ordered: text };
  };
  const [number, text] = [as('decimal', ' RETURNING DECIMAL'), as('string', '')];
  return { ...text, forms: { number, text, boolean: as('boolean', ' RETURNING BOOLEAN') } };
}
