/** The service's own log: one JSON object a line. Passwords, tokens and values have no place in it. */
import type { Clock } from '../../base/clock.ts';

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
  /** Takes a line without its end. */
  append(line: string): void;
}

const SECRET_NAME = /passw|token|secret|credential|authorization|signature|cookie/i;
const TOKEN_TEXT = /\b[0-9a-f]{32}\b/gi;
const HIDDEN = '***';

/** A log that keeps what is at least as grave as `level`. */
export function createLog(sink: LineSink, level: LogLevel, clock: Clock): Log {
  const kept = LOG_LEVELS.indexOf(level);
  const writer = (own: LogLevel) =>
    LOG_LEVELS.indexOf(own) > kept
      ? () => {}
      : (message: string, fields: LogFields = {}) => sink.append(logLine(own, message, fields, clock.nowMs()));
  return { error: writer('error'), warn: writer('warn'), info: writer('info'), debug: writer('debug') };
}

/** The line, with members of a secret's name and texts of a token's form hidden should they ever get here. */
export function logLine(level: string, message: string, fields: LogFields, nowMs: number): string {
  const shown = Object.entries(fields).map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : value]);
  const line = { time: new Date(nowMs).toISOString(), level, message, ...Object.fromEntries(shown) };
  return JSON.stringify(line).replace(TOKEN_TEXT, HIDDEN);
}
