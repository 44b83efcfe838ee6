/** The log of the service: one JSON object per line, without passwords, tokens and values. */
import type { Clock } from '../../base/clock.ts';
import { shortened } from '../../base/errors.ts';
import { LOG_FIELD_BYTES } from '../../base/limits.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';
export const LOG_LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

export interface LineSink {
  /** Appends a line, passed without its line end. */
  append(line: string): void;
}

/** Field names whose values are secrets. */
const SECRET_NAME = /passw|token|secret|credential|authorization|signature|cookie/i;
/** Session tokens have this form, wherever they occur in a string. */
const TOKEN_TEXT = /\b[0-9a-f]{32}\b/gi;
const HIDDEN = '***';

/** Creates a log that drops messages less severe than `level`. */
export function createLog(sink: LineSink, level: LogLevel, clock: Clock): Log {
  const kept = LOG_LEVELS.indexOf(level);
  const writer = (own: LogLevel) =>
    LOG_LEVELS.indexOf(own) > kept
      ? () => {}
      : (message: string, fields: LogFields = {}) => sink.append(logLine(own, message, fields, clock.nowMs()));
  return { error: writer('error'), warn: writer('warn'), info: writer('info'), debug: writer('debug') };
}

/** Returns a sink that also writes each line to standard output, unchanged or formatted for people. */
export function withStdout(sink: LineSink, form: 'none' | 'text' | 'json', write: (text: string) => void): LineSink {
  if (form === 'none') return sink;
  return {
    append(line) {
      sink.append(line);
      write(form === 'json' ? `${line}\n` : `${textOf(line)}\n`);
    },
  };
}

/** Formats a line for people: time, level, message and the fields as `name=value`. */
function textOf(line: string): string {
  const { time, level, message, ...fields }: Record<string, unknown> = JSON.parse(line);
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `${time} ${String(level).toUpperCase()} ${message}${shown.join('')}`;
}

/** Returns a message's line. Masks fields named like secrets, and strings that look like tokens. */
export function logLine(level: string, message: string, fields: LogFields, nowMs: number): string {
  const shown = Object.entries(fields).map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : bounded(value)]);
  const line = { time: new Date(nowMs).toISOString(), level, message, ...Object.fromEntries(shown) };
  return JSON.stringify(line).replace(TOKEN_TEXT, HIDDEN);
}

function bounded(value: LogFields[string]): LogFields[string] {
  return typeof value === 'string' ? cutToBytes(shortened(value, LOG_FIELD_BYTES), LOG_FIELD_BYTES) : value;
}

/** Returns the beginning of a string whose JSON has at most `maxBytes`: a control character takes six of them. */
export function cutToBytes(text: string, maxBytes: number): string {
  const cut = text.slice(0, maxBytes);
  if (jsonBytes(cut) <= maxBytes) return cut;
  let bytes = 0;
  let end = 0;
  for (const character of cut) {
    bytes += jsonBytes(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return cut.slice(0, end);
}

/** Returns the number of bytes of a string's JSON without the quotes. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
