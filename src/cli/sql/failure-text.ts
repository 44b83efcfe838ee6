/** The text shown for a failed statement. */
import { ERRORS } from '../../base/errors.ts';
import { ServiceFailure } from '../failures.ts';
import { adviceOf } from '../parser.ts';

/** Maximum number of characters shown of a line, and of the part before the mark. */
const SHOWN_CHARACTERS = 100;
const BEFORE_MARK = 60;

/** Statements of other databases, and their replacements here. */
const ELSEWHERE: ReadonlyArray<readonly [statement: RegExp, here: string]> = [
  [
    /^\s*(?:show|desc|describe)\b/i,
    'svc tables lists tables and views, svc describe NAME shows one; at the prompt, \\d and \\d NAME do',
  ],
];

/**
 * Returns an error's text, below it the line of the statement with a mark where it is wrong, and the remedy, such as
 * the replacement for another database's statement.
 */
export function failureText(error: Error, statement: string): string {
  if (!(error instanceof ServiceFailure)) return error.message;
  const { position, code, remedy } = error.details;
  const place = position === undefined ? [] : [markedLine(statement, position - 1)];
  const here = ELSEWHERE.find(([begin]) => begin.test(statement))?.[1];
  // The remedy of most statement errors repeats the text.
  const own = code === 'SQL' && remedy !== ERRORS.SQL.remedy ? remedy : undefined;
  const advice = here ?? own ?? adviceOf(error);
  return [error.message, ...place, ...(advice === undefined ? [] : [advice])].join('\n');
}

function markedLine(statement: string, at: number): string {
  const begin = statement.slice(0, at).lastIndexOf('\n') + 1;
  const [line = ''] = statement.slice(begin).split('\n', 1);
  const column = at - begin;
  const from = Math.max(0, column - BEFORE_MARK);
  const shown = line.slice(from, from + SHOWN_CHARACTERS);
  // Tabs stay, so the mark is below its character.
  return `${shown}\n${shown.slice(0, column - from).replace(/[^\t]/g, ' ')}^`;
}
