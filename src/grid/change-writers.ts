/** Writes changes as lines of NDJSON or as server-sent events. */
import { GridError } from '../base/errors.ts';
import { writeJson, writeText } from '../values/json.ts';
import { formatExactScalar } from '../values/scalar-traits.ts';
import { typeNameOf } from '../values/type-names.ts';
import type { Value, ValueOf } from '../values/value.ts';
import type { Change, ChangeWriter } from './change-feed.ts';

/** The beginning of the year 1. */
const FIRST_YEAR_MS = -62_135_596_800_000;

export type ChangeFormat = 'ndjson' | 'sse';

export const CHANGE_FORMAT_TYPES: Readonly<Record<ChangeFormat, string>> = {
  ndjson: 'application/x-ndjson;charset=utf-8',
  sse: 'text/event-stream;charset=utf-8',
};

/** The kinds of stream parts: each one's member `event`, and the name of the server-sent event. */
export type ChangeEventName = 'open' | 'change' | 'heartbeat' | 'gap' | 'end';

/** How the keys and values of changes are written. */
export interface ChangeForm {
  /** Converts outgoing keys and values; if undefined, they stay as they are. */
  readonly convert?: ((value: Value) => Value) | undefined;
  /** Whether `convert` only writes values in another notation, so their types stay the same. */
  readonly isNotation?: boolean;
}

/** Returns a writer. */
export function changeWriter(format: ChangeFormat, form: ChangeForm = {}): ChangeWriter {
  const part = format === 'sse' ? serverSentEvent : line;
  const member: WriteMember = (name, value) => valueMembers(name, value, form);
  return {
    change: (change, position) => part('change', position, changeMembers(change, member)),
    opened: (position) => part('open', position, position === undefined ? ',"resumable":false' : ''),
    heartbeat: (position) => part('heartbeat', position, ''),
    gap: (cache, reason) => part('gap', undefined, `,"cache":${writeText(cache)},"reason":${writeText(reason)}`),
    ended: (position, reason, error) => part('end', position, `,"reason":"${reason}","error":${errorMembers(error)}`),
  };
}

/** Returns an error's text, and its code as a separate member. */
function errorMembers(error: unknown): string {
  if (error === null) return 'null';
  if (!(error instanceof Error)) return writeText(String(error));
  return error instanceof GridError
    ? `${writeText(error.message)},"errorCode":"${error.code}"`
    : writeText(error.message);
}

function line(event: ChangeEventName, position: string | undefined, members: string): string {
  return `{"event":"${event}","position":${position === undefined ? 'null' : `"${position}"`}${members}}\n`;
}

/** JSON has no line breaks outside strings, and escapes them inside. */
function serverSentEvent(event: ChangeEventName, position: string | undefined, members: string): string {
  const id = position === undefined ? '' : `id: ${position}\n`;
  return `event: ${event}\n${id}data: ${line(event, position, members)}\n`;
}

type WriteMember = (name: 'key' | 'value' | 'oldValue', value: Value) => string;

/** Returns a key or value, and the name of its type if JSON does not imply it, so that it can be sent back. */
function valueMembers(name: 'key' | 'value' | 'oldValue', value: Value, { convert, isNotation }: ChangeForm): string {
  const shown = convert === undefined ? value : convert(value);
  const typed = isNotation === true ? value : shown;
  const text = `,"${name}":${losesTime(shown) ? writeText(formatExactScalar(shown)) : writeJson(shown)}`;
  return isPlain(typed) ? text : `${text},"${name}Type":${writeText(typeNameOf(typed))}`;
}

/**
 * Reports whether a value can be sent back without a type: a string, a 32-bit integer, a finite double, true,
 * false, null, or a table row.
 */
function isPlain(value: Value): boolean {
  switch (value.type) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'null':
      return true;
    case 'double':
      return Number.isFinite(value.data);
    case 'object':
      // Another table uses a different name for its row objects.
      return GENERATED_NAME.test(value.typeName);
    case 'byte':
    case 'short':
    case 'long':
    case 'float':
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
    case 'decimal':
    case 'bigInteger':
    case 'bytes':
    case 'array':
    case 'list':
    case 'map':
    case 'enum':
    case 'opaque':
      return false;
  }
}

/** The names that CREATE TABLE generates for its row objects. */
const GENERATED_NAME = /^SQL_.*_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}(?:_KEY)?$/;

/** Reports whether the usual form of a time or a java.util.Date omits its milliseconds, or the era of its year. */
function losesTime(value: Value): value is ValueOf<'time' | 'instant'> {
  return (value.type === 'time' || value.type === 'instant') && (value.data % 1000 !== 0 || value.data < FIRST_YEAR_MS);
}

function changeMembers(change: Change, write: WriteMember): string {
  const { operation, cache, atMs, key, value, oldValue, expiresAtMs, tables } = change;
  let text = `,"operation":"${operation}","cache":${writeText(cache)},"time":"${isoTime(atMs)}"`;
  if (key !== undefined) text += write('key', key);
  if (value !== undefined) text += write('value', value);
  if (oldValue !== undefined) text += write('oldValue', oldValue);
  if (expiresAtMs !== undefined) text += `,"expires":"${isoTime(expiresAtMs)}"`;
  if (tables !== undefined) text += `,"tables":[${tables.map(tableText).join(',')}]`;
  return text;
}

/** The text of the last second, which most changes share. */
let lastSecond = { second: Number.NaN, text: '' };

/** Formats a time as `Date.toISOString` does, but much faster for many times within one second. */
function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond.second) lastSecond = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  return `${lastSecond.text}${String(ms - second * 1000).padStart(3, '0')}Z`;
}

function tableText({ name, columns }: NonNullable<Change['tables']>[number]): string {
  return `{"name":${writeText(name)},"columns":[${columns.map(writeText).join(',')}]}`;
}
