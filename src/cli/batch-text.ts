/** Checks the commands of a batch before they are sent, so that an error can name the file and show the place. */
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { readJsonItems } from '../values/json.ts';
import { type CommandLineError, usageError } from './failures.ts';
import { printable } from './table-output.ts';

/** Characters of the line that are shown before the place of an error, and from there on. */
const [BEFORE, AFTER] = [20, 40];

/**
 * Throws CommandLineError unless the text is a JSON array. `file` is the file that it was read from; undefined if it is
 * an argument, which may be the name of a file without its @.
 */
export function checkBatchText(command: string, text: string, file: string | undefined): void {
  if (file === undefined && /^[^\s[{"][^\n[{]{0,254}$/.test(text))
    throw usageError(`${command}: ${text} is not a JSON array: commands@${text} sends those in a file`);
  try {
    for (const _item of readJsonItems(text, JSON_BOUNDS.values));
  } catch (error) {
    throw error instanceof ConversionFailure ? malformed(command, file ?? 'commands', text, error) : error;
  }
}

function malformed(command: string, source: string, text: string, { reason }: ConversionFailure): CommandLineError {
  const [, line, column] = /at line (\d+), column (\d+)$/.exec(reason) ?? [];
  const what = printable(reason.replace(/^invalid JSON: /, ''));
  const found = excerpt(text, Number(line ?? 1), Number(column ?? 1));
  return usageError(`${command}: ${source} is not a JSON array: ${what}${found === '' ? '' : `: ${found}`}`);
}

/** Returns the characters around a place, both counted from 1. */
function excerpt(text: string, line: number, column: number): string {
  const content = text.split('\n', line).at(-1) ?? '';
  const start = Math.max(0, column - 1 - BEFORE);
  const end = column - 1 + AFTER;
  const part = printable(content.slice(start, end).trim());
  return `${start > 0 ? '...' : ''}${part}${end < content.length ? '...' : ''}`;
}
