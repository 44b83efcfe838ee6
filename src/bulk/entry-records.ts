/** Converts records to entries: `key`, `value`, and optionally their types and when the entry expires. */
import { gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { EXACT_NUMBERS, readPlain } from '../values/custom.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import { writeNode } from '../values/json.ts';
import { parseText } from '../values/scalar-traits.ts';
import { type TypeRegistry, text as textValue, type Value } from '../values/value.ts';
import type { SourceField, TargetColumns } from './records.ts';

export interface ImportedEntry {
  readonly key: Value;
  readonly value: Value;
  /**
   * When the entry expires, in milliseconds since 1970, or null for never; undefined for the import's or the cache's
   * default.
   */
  readonly expiresMs: number | null | undefined;
}

export interface EntryDecoderOptions {
  /** Types of keys and values, for records that name none. If undefined, JSON implies them, and CSV has strings. */
  readonly keyType: string | undefined;
  readonly valueType: string | undefined;
  readonly types: TypeRegistry;
  /** The type name of UUIDs with a counter. */
  readonly serviceName: string;
  readonly limits: Limits;
  /** Converts every key and value received (the configured message interceptor). */
  readonly onReceive: ((value: Value) => Value) | undefined;
}

const NAMES = ['key', 'value', 'keyType', 'valueType', 'expires'] as const;
type EntryColumn = (typeof NAMES)[number];
const FOLDED = NAMES.map((name) => name.toLowerCase());

/** The columns of entries, by name in any case. */
export const ENTRY_COLUMNS: TargetColumns = {
  names: NAMES,
  indexOf: (name) => FOLDED.indexOf(name.trim().toLowerCase()),
};

/** Checks a source's columns. Throws IMPORT_COLUMN_REQUIRED. */
export function checkEntryColumns(names: readonly string[]): void {
  const given = new Set(names.map((name) => ENTRY_COLUMNS.indexOf(name)));
  for (const name of ['key', 'value'] satisfies EntryColumn[]) {
    if (!given.has(NAMES.indexOf(name))) throw gridError('IMPORT_COLUMN_REQUIRED', name);
  }
}

/** Decodes a record. Throws CONVERSION, LIMIT_EXCEEDED, and ConversionFailure for an invalid deadline. */
export function decodeEntry(fields: readonly SourceField[], options: EntryDecoderOptions): ImportedEntry {
  const { keyType, valueType, limits } = options;
  const field = (name: EntryColumn): SourceField => fields[NAMES.indexOf(name)];
  const expires = textOf(field('expires'));
  return {
    key: decodePart('key', field('key'), textOf(field('keyType')) ?? keyType, limits.keyCharacters, options),
    // A record's length is limited, not its value's.
    value: decodePart('value', field('value'), textOf(field('valueType')) ?? valueType, undefined, options),
    expiresMs: expires === undefined ? undefined : deadlineOf(expires),
  };
}

/** Returns a record's deadline, or null for 0, which an export writes for an entry that never expires. */
function deadlineOf(text: string): number | null {
  const { data } = parseText('long', text);
  return data === 0n ? null : Number(data);
}

function decodePart(
  name: 'key' | 'value',
  field: SourceField,
  type: string | undefined,
  limit: number | undefined,
  { types, serviceName, onReceive }: EntryDecoderOptions,
): Value {
  const text = textOf(field);
  if (limit !== undefined && text !== undefined && text.length > limit) {
    throw gridError('LIMIT_EXCEEDED', `${name} characters`, limit, text.length, 'keyCharacters');
  }
  const value = decode(field, text, type, types, serviceName, name);
  if (value.type === 'null') throw gridError('ENTRY_NULL', name);
  return onReceive === undefined ? value : onReceive(value);
}

function decode(
  field: SourceField,
  text: string | undefined,
  type: string | undefined,
  types: TypeRegistry,
  serviceName: string,
  name: string,
): Value {
  if (field === null || field === undefined || text === undefined) return { type: 'null' };
  if (type !== undefined && type !== '') return decodeTyped(text, type, types, serviceName, name);
  return typeof field === 'string' ? textValue(field) : readPlain(field, EXACT_NUMBERS);
}

/** Returns a field's text: a string unchanged, anything else as JSON, or undefined for NULL and an absent field. */
function textOf(field: SourceField): string | undefined {
  if (field === null || field === undefined) return undefined;
  if (typeof field === 'string') return field;
  if (field.kind === 'null') return undefined;
  return field.kind === 'string' ? field.value : writeNode(field);
}
