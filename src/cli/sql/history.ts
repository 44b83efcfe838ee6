/** The prompt's history, in a user's file with a line for each statement. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SqlFailure } from '../../base/sql-failure.ts';
import { Scanner } from '../../sql/syntax/tokenizer.ts';
import type { Terminal } from '../program.ts';

/** Maximum number of lines. */
export const MAX_HISTORY_LINES = 1_000;
/** Statements that set passwords are not kept. */
const SECRET = /\bpassword\b/i;

export function historyFile({ environment, home }: Terminal): string {
  const folder = environment.XDG_STATE_HOME;
  return join(folder === undefined || folder === '' ? join(home, '.local', 'state') : folder, 'svc', 'sql-history');
}

/** Returns the lines, newest first. */
export function readHistory(terminal: Terminal): string[] {
  try {
    const lines = readFileSync(historyFile(terminal), 'utf8').split('\n');
    return lines.filter((line) => line !== '').reverse();
  } catch {
    return [];
  }
}

/** Stores the lines, newest first. A history that cannot be written is not worth an error. */
export function writeHistory(lines: readonly string[], terminal: Terminal): void {
  const file = historyFile(terminal);
  const kept = lines.filter((line) => !SECRET.test(line)).slice(0, MAX_HISTORY_LINES);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${[...kept].reverse().join('\n')}\n`, { mode: 0o600 });
  } catch {
    // A read-only home folder.
  }
}

/**
 * Replaces the lines in which a statement was typed by the statement in one line, without its comments. The history has
 * the newest line first. A statement with a line break in a string or name keeps its lines.
 */
export function joinLines(history: string[], typed: readonly string[]): void {
  const whole = inOneLine(typed.join('\n'));
  const at = history.indexOf(typed.at(-1) ?? '');
  if (whole === undefined || at < 0) return;
  let end = at;
  while (end - at < typed.length && typed.includes(history[end] ?? '')) end++;
  history.splice(at, end - at, whole);
}

function inOneLine(sql: string): string | undefined {
  let line = '';
  let end = 0;
  try {
    const scanner = new Scanner(sql);
    while (scanner.next() !== 'end') {
      const token = sql.slice(scanner.start, scanner.end);
      if (token.includes('\n')) return undefined;
      line += (line === '' || scanner.start === end ? '' : ' ') + token;
      end = scanner.end;
    }
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    return undefined;
  }
  return line;
}
