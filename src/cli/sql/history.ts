/** The history of the prompt, in a file of the user. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Terminal } from '../program.ts';

/** Lines that are kept. */
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
