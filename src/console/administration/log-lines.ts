/** Lines of the log and the audit log, as they are filtered and shown. */
import { hasWords } from '../elements/words.ts';

export type Level = 'error' | 'warn' | 'info' | 'debug';
export const LEVELS: readonly Level[] = ['error', 'warn', 'info', 'debug'];

export interface LogLine {
  /** The line as it was read. */
  readonly text: string;
  /** In ms since 1970; undefined if the line has none. */
  readonly timeMs: number | undefined;
  readonly level: Level | undefined;
  readonly message: string;
  /** The line's other members. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>;
}

const LEVEL_NAMES: ReadonlySet<unknown> = new Set(LEVELS);

function isLevel(value: unknown): value is Level {
  return LEVEL_NAMES.has(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a line. One that is not a JSON object is its own message. */
export function parseLogLine(text: string): LogLine {
  const line = text.trimEnd();
  const other = { text: line, timeMs: undefined, level: undefined, message: line, fields: [] };
  if (!line.startsWith('{')) return other;
  try {
    const { time, level, message, command, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const timeMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
    // A line of the audit log has a command in place of a message.
    const isAudit = message === undefined && command !== undefined;
    const fields = Object.entries({
      ...(isAudit || command === undefined ? {} : { command }),
      ...(isLevel(level) || level === undefined ? {} : { level }),
      ...rest,
    }).filter(([, value]) => value !== null && value !== '');
    return {
      text: line,
      timeMs: Number.isNaN(timeMs) ? undefined : timeMs,
      level: isLevel(level) ? level : undefined,
      message: textOf(isAudit ? command : (message ?? '')),
      fields: fields.map(([name, value]) => [name, textOf(value)]),
    };
  } catch {
    return other;
  }
}

/** Returns the lines that are at least as severe as a level and contain every word of a text, the newest first. */
export function matchingLines(lines: readonly LogLine[], text: string, least: Level): readonly LogLine[] {
  const most = LEVELS.indexOf(least);
  return lines
    .filter(({ level }) => level === undefined || LEVELS.indexOf(level) <= most)
    .filter((line) => hasWords(line.text, text))
    .reverse();
}
