/** The entries of a cache as rows of a grid, and the commands that change them. */
import { Decimal, type Json } from '../../client/exact-json.ts';
import { formatValue, writeJson } from '../elements/formats.ts';
import { formatInstant } from '../elements/times.ts';
import { keyValues } from '../live/change-log.ts';
import type { Row, RowTexts } from '../rows/row.ts';
import { withoutZeros } from '../rows/time-texts.ts';
import { BYTES, parameterText, shownBytes } from '../rows/value-input.ts';
import { TYPES, typeTitle } from './entry-types.ts';
import { previewOf } from './shown-statement.ts';
import type { Change, RowKind, StoredColumn } from './stored-rows.ts';

/** An entry as an export writes it. */
export interface StoredEntry {
  readonly key: Json;
  readonly value: Json;
  /** Undefined if not known. */
  readonly keyType?: string | undefined;
  readonly valueType?: string | undefined;
  /** When it expires, in milliseconds since 1970. Undefined if it does not or that is unknown; 0 if it does not. */
  readonly expires?: number | bigint | undefined;
}

/** Entries read. */
export interface EntryPart {
  readonly entries: readonly StoredEntry[];
  /** How many were read, including unwanted ones. */
  readonly count: number;
  /** Their length as text. */
  readonly characters: number;
  /** The total number; undefined if more may follow. */
  readonly total: number | undefined;
}

/** Returns whether the entry of a line, as an export has it, may be wanted. */
export type LineTest = (line: string) => boolean;

/** The type of values whose JSON names the types of their parts, which only an import reads. */
const EXACT_TYPE = 'SvcValue';
const UNKNOWN = '–';

const COLUMN = { type: '', isKey: false, sqlType: '', isNullable: false, defaultValue: null };
const TYPE_COLUMN = {
  ...COLUMN,
  choices: TYPES,
  format: (value: Json) => (typeof value === 'string' ? typeTitle(value) : UNKNOWN),
};

/** Returns what a cell shows of bytes and timestamps, or undefined for values of other types. */
function scalarText(value: Json, type: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (type === BYTES) return shownBytes(value);
  return type === 'timestamp' ? withoutZeros(type, value) : undefined;
}

export const ENTRY_COLUMNS: readonly StoredColumn[] = [
  { ...COLUMN, name: 'Key', isKey: true, isPinned: true, format: (key, row) => scalarText(key, row[1]) },
  { ...TYPE_COLUMN, name: 'Key type', isKey: true },
  // Text uses the remaining space.
  {
    ...{ ...COLUMN, name: 'Value', type: 'java.lang.String', isLong: true },
    format: (value, row) => scalarText(value, row[3]),
  },
  { ...TYPE_COLUMN, name: 'Value type' },
  {
    ...COLUMN,
    name: 'Expires',
    isDerived: true,
    // Entries may get a time to live while they are shown. Fits a two-digit hour with AM or PM.
    widest: formatInstant(new Date(2026, 11, 28, 22, 50, 50).getTime()),
    format: (value) => (value === null ? UNKNOWN : formatInstant(Number(value))),
  },
];

/** Returns the cells of an entry. */
export function entryRow({ key, value, keyType, valueType, expires }: StoredEntry): Row {
  const [shownKey, ofKey] = scalarIn(key, keyType);
  const [shownValue, ofValue] = scalarIn(value, valueType);
  return [shownKey, ofKey ?? null, shownValue, ofValue ?? null, expires || null];
}

/** Scalars whose exact form only an import reads, and their types, which commands can name. */
const SCALARS: Readonly<Record<string, string>> = {
  bytes: BYTES,
  char: 'java.lang.Character',
  instant: 'java.util.Date',
};

/** Returns the text and the type of a scalar in its exact form; other values as they are. */
function scalarIn(value: Json, type: string | undefined): readonly [value: Json, type: string | undefined] {
  if (type !== EXACT_TYPE || value === null || typeof value !== 'object') return [value, type];
  const [[name, text] = [], ...others] = Object.entries(value);
  const scalar = name === undefined || others.length > 0 ? undefined : SCALARS[name];
  return scalar === undefined || typeof text !== 'string' ? [value, type] : [text, scalar];
}

/** Returns the texts of a row by column: those of objects have lines. */
export function entryTexts(row: Row): RowTexts {
  const [key = null, keyType, value = null, valueType, expires = null] = row;
  return {
    Key: textOf(key, keyType, 0),
    'Key type': typeof keyType === 'string' ? keyType : '',
    Value: textOf(value, valueType, 2),
    'Value type': typeof valueType === 'string' ? valueType : '',
    Expires: ENTRY_COLUMNS[4]?.format?.(expires, row) ?? '',
  };
}

function textOf(value: Json, type: Json | undefined, indent: number): string {
  const isObject = value !== null && typeof value === 'object' && !(value instanceof Decimal);
  if (isObject) return writeJson(value, indent);
  return withoutZeros(typeof type === 'string' ? type : undefined, formatValue(value));
}

/** Returns whether commands can name a type. */
function maySend(type: string | null | undefined): type is string {
  return typeof type === 'string' && type !== '' && type !== EXACT_TYPE;
}

/** Why some keys and values are only in exports and imports. */
const NO_TYPE =
  'commands cannot describe all its parts, such as a list of longs. Export the cache, edit the line, and import it.';

const CHANGED = 'Nothing was changed: the entry has changed since it was read, or is gone.';

/** Returns parameters as previews have them. */
function previewed(params: Change['params']): Change['params'] {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? previewOf(value) : value]),
  );
}

export function entryKind(cacheName: string): RowKind {
  const paramsOf = (
    { Key: key, 'Key type': keyType, 'Value type': valueType }: RowTexts,
    values: Readonly<Record<string, string>>,
  ) => ({
    cacheName,
    key: parameterText(keyType ?? '', key ?? ''),
    keyType,
    ...Object.fromEntries(Object.entries(values).map(([name, text]) => [name, parameterText(valueType ?? '', text)])),
    valueType,
  });
  const changeOf = (cmd: string, params: Change['params'], nothingChanged = CHANGED, indent = 2): Change => ({
    cmd,
    params,
    text: writeJson({ cmd, ...previewed(params) }, indent),
    nothingChanged,
  });
  const canChange = (row: RowTexts): boolean => maySend(row['Key type']) && maySend(row['Value type']);
  return {
    nouns: ['entry', 'entries'],
    title: cacheName || '(empty name)',
    isTable: false,
    layoutName: cacheName,
    columns: ENTRY_COLUMNS,
    newRow: { Key: '', 'Key type': 'string', Value: '', 'Value type': 'string' },
    typeOf({ name }, row) {
      const type = (name === 'Key' ? row['Key type'] : name === 'Value' ? row['Value type'] : 'string') ?? '';
      return { type, title: typeTitle(type), argument: type || 'string' };
    },
    whyFixed({ isKey, isDerived, choices }, before) {
      if (before === undefined) return undefined;
      const { 'Key type': keyType, 'Value type': valueType } = before;
      if (isKey) return 'A key cannot be changed. Duplicate the entry to store it under another key.';
      if (isDerived) return 'Open the entry to set or remove its time to live.';
      // The type of a value found by its key may be unknown, and is then chosen.
      if (choices !== undefined) return valueType === '' ? undefined : 'The type comes from the stored value.';
      if (!maySend(keyType)) return `The entry cannot be changed here: ${NO_TYPE}`;
      return valueType === '' || maySend(valueType) ? undefined : `The value cannot be changed here: ${NO_TYPE}`;
    },
    canChange,
    updateOf(before, after) {
      if (!canChange(after) || before.Value === after.Value) return undefined;
      return changeOf('cas', paramsOf(after, { val: after.Value ?? '', val2: before.Value ?? '' }));
    },
    insertOf(row) {
      if (!canChange(row) || (row.Key ?? '') === '') return undefined;
      const nothingChanged = 'The cache already has an entry with this key. Nothing was changed.';
      return changeOf('putifabs', paramsOf(row, { val: row.Value ?? '' }), nothingChanged);
    },
    // One line each: several are shown together.
    deletionsOf: (rows) =>
      rows.filter(canChange).map((row) => changeOf('rmvval', paramsOf(row, { val: row.Value ?? '' }), CHANGED, 0)),
    identityOf: ([key]) => keyValues(key),
  };
}
