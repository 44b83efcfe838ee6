/** What is shown of a statement that failed. */
import { ServiceFailure } from '../exit-codes.ts';

/** Characters of a line that are shown, and of those before the mark. */
const SHOWN_CHARACTERS = 100;
const BEFORE_MARK = 60;

/** Returns the text of an error, and below it the line of the statement with a mark where it is wrong. */
export function failureText(error: Error, statement: string): string {
  const position = error instanceof ServiceFailure ? error.details.position : undefined;
  return position === undefined ? error.message : `${error.message}\n${markedLine(statement, position - 1)}`;
}

function markedLine(statement: string, at: number): string {
  const begin = statement.slice(0, at).lastIndexOf('\n') + 1;
  const [line = ''] = statement.slice(begin).split('\n', 1);
  const column = at - begin;
  const from = Math.max(0, column - BEFORE_MARK);
  const shown = line.slice(from, from + SHOWN_CHARACTERS);
  // Tabs stay, so that the mark is below its character.
  return `${shown}\n${shown.slice(0, column - from).replace(/[^\t]/g, ' ')}^`;
}
