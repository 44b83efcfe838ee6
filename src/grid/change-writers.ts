/** Writes changes as lines of NDJSON or as server-sent events. */
import { GridError } from '../base/errors.ts';
import { writeJson, writeText } from '../values/json.ts';
import type { Value } from '../values/value.ts';
import type { Change, ChangeWriter } from './change-feed.ts';

export type ChangeFormat = 'ndjson' | 'sse';

export const CHANGE_FORMAT_TYPES: Readonly<Record<ChangeFormat, string>> = {
  ndjson: 'application/x-ndjson;charset=utf-8',
  sse: 'text/event-stream;charset=utf-8',
};

/** The kinds of parts of a stream: the member `event` of each, and the name of the server-sent event. */
export type ChangeEventName = 'open' | 'change' | 'heartbeat' | 'gap' | 'end';

/** Returns a writer. `convert` changes outgoing keys and values; undefined: they stay as they are. */
export function changeWriter(format: ChangeFormat, convert: ((value: Value) => Value) | undefined): ChangeWriter {
  const part = format === 'sse' ? serverSentEvent : line;
  const value = convert === undefined ? writeJson : (each: Value) => writeJson(convert(each));
  return {
    change: (change, position) => part('change', position, changeMembers(change, value)),
    opened: (position) => part('open', position, position === undefined ? ',"resumable":false' : ''),
    heartbeat: (position) => part('heartbeat', position, ''),
    gap: (cache, reason) => part('gap', undefined, `,"cache":${writeText(cache)},"reason":${writeText(reason)}`),
    ended: (position, reason, error) => part('end', position, `,"reason":"${reason}","error":${errorMembers(error)}`),
  };
}

/** Returns the text of an error, and its code as a member of its own. */
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

/** JSON has no line breaks outside of strings, and escapes them inside. */
function serverSentEvent(event: ChangeEventName, position: string | undefined, members: string): string {
  const id = position === undefined ? '' : `id: ${position}\n`;
  return `event: ${event}\n${id}data: ${line(event, position, members)}\n`;
}

function changeMembers(change: Change, write: (value: Value) => string): string {
  const { operation, cache, atMs, key, value, oldValue, expiresAtMs, tables } = change;
  let text = `,"operation":"${operation}","cache":${writeText(cache)},"time":"${isoTime(atMs)}"`;
  if (key !== undefined) text += `,"key":${write(key)}`;
  if (value !== undefined) text += `,"value":${write(value)}`;
  if (oldValue !== undefined) text += `,"oldValue":${write(oldValue)}`;
  if (expiresAtMs !== undefined) text += `,"expires":"${isoTime(expiresAtMs)}"`;
  if (tables !== undefined) text += `,"tables":[${tables.map(tableText).join(',')}]`;
  return text;
}

/** The text of the last second, which most changes share. */
let lastSecond = { second: Number.NaN, text: '' };

/** Returns a time as `Date.toISOString` does, in a fraction of its time for many times of one second. */
function isoTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond.second) lastSecond = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  return `${lastSecond.text}${String(ms - second * 1000).padStart(3, '0')}Z`;
}

function tableText({ name, columns }: NonNullable<Change['tables']>[number]): string {
  return `{"name":${writeText(name)},"columns":[${columns.map(writeText).join(',')}]}`;
}
