/** An error as an object, for programs. */
import type { ErrorCode, GridError } from './errors.ts';

/** The path of the pages that explain errors, each at `/` and its code. */
export const ERROR_PAGES = '/docs/errors';

export interface ErrorObject {
  readonly code: ErrorCode;
  readonly message: string;
  /** The parameter that the error is about. */
  readonly parameter?: string;
  /** The character of the statement, from 1. */
  readonly position?: number;
  /** The remedy. */
  readonly remedy: string;
  /** Path of the page that explains the error. */
  readonly documentation: string;
}

/** The parts of the CONVERSION message, which Ignite clients match on. */
const CONVERSION = 'Failed to convert value to specified type [type=';
const VALUE = ', val=';
const REASON = ', reason=';

/** The suffix of Ignite's SQL engine: the statement and a code, before svc's hints. */
const STATEMENT = '; SQL statement:\n';
const CODE_OF_H2 = / \[\d{5}-\d+\]/g;
const SYNTAX_ERROR = 'Syntax error';
const QUOTED_STATEMENT = ' in SQL statement "';
const EXPECTED = '"; expected "';
const MARK = '[*]';
/** The token before the mark that H2 inserts after it. */
const TOKEN = /(?:[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}])$/u;
/** H2 omits the column; the hints name it. */
const UNNAMED_COLUMN = / in column $/;
/** How H2 describes the tokens that it expected. */
const NOTIONS: ReadonlyMap<string, string> = new Map([
  ['NOT, EXISTS, INTERSECTS', 'an expression'],
  ['identifier', 'a name'],
]);
/** Longer lists consist mostly of operators. */
const SHOWN_WORDS = 12;
const UNPARSED = 'Failed to parse SQL statement "';
const UNPARSED_END = '": ';
const PLACE = ' (at line ';
const PLACE_AND_HINTS = /^ \(at line \d+, column \d+(?:; (.*))?\)$/s;

/** Returns an error as an object. `message` replaces its text where the client sees a different one. */
export function errorObject(error: GridError, message = error.message): ErrorObject {
  const { code, parameter, position, remedy } = error;
  const sentence = code === 'CONVERSION' ? conversionInWords(message) : withoutStatement(message);
  return {
    code,
    message: position === undefined ? sentence : withoutPlace(sentence),
    ...(parameter !== undefined && { parameter }),
    ...(position !== undefined && { position }),
    remedy,
    documentation: `${ERROR_PAGES}/${code}`,
  };
}

/** Returns the text unchanged if it was cut. A client sends the value, so this must take linear time. */
function conversionInWords(text: string): string {
  const begin = text.indexOf(CONVERSION);
  const typeEnd = text.indexOf(VALUE, begin + CONVERSION.length);
  const valueEnd = text.lastIndexOf(REASON);
  if (begin < 0 || typeEnd < 0 || valueEnd < typeEnd + VALUE.length || !text.endsWith(']')) return text;
  const type = text.slice(begin + CONVERSION.length, typeEnd);
  const value = text.slice(typeEnd + VALUE.length, valueEnd);
  const [reason, parameter] = text.slice(valueEnd + REASON.length, -1).split(/, parameter=(\w+)$/);
  const shown = /^[{["]/.test(value) ? value : `"${value}"`;
  const where = parameter === undefined ? '' : ` (${parameter})`;
  return `${text.slice(0, begin)}Cannot convert ${shown} to ${type}: ${reason}${where}`;
}

/** Returns the error text of a statement without the statement, which the client knows, and H2's code. */
function withoutStatement(text: string): string {
  const end = text.indexOf(STATEMENT);
  if (end < 0) return unsupportedInWords(text);
  // The statement may contain something that looks like a code.
  const code = [...text.slice(end).matchAll(CODE_OF_H2)].at(-1);
  const hints = code === undefined ? '' : text.slice(end + code.index + code[0].length);
  return syntaxErrorInWords(text.slice(0, end).replace(UNNAMED_COLUMN, '')) + hints;
}

function unsupportedInWords(text: string): string {
  const begin = text.indexOf(UNPARSED);
  const end = text.lastIndexOf(UNPARSED_END);
  return begin < 0 || end < begin ? text : text.slice(0, begin) + text.slice(end + UNPARSED_END.length);
}

/**
 * Returns `Syntax error at "FORM": expected FROM` for a sentence that quotes the statement; other sentences unchanged.
 */
function syntaxErrorInWords(sentence: string): string {
  const begin = sentence.indexOf(SYNTAX_ERROR + QUOTED_STATEMENT);
  if (begin < 0 || !sentence.endsWith('"')) return sentence;
  const start = begin + SYNTAX_ERROR.length;
  const expected = sentence.lastIndexOf(EXPECTED);
  const end = expected < start ? sentence.length - 1 : expected;
  const marked = sentence.slice(start + QUOTED_STATEMENT.length, end);
  const error = `${sentence.slice(0, start)}${placeInWords(marked)}`;
  const wanted = expected < start ? undefined : expectedInWords(sentence.slice(expected + EXPECTED.length, -1));
  return wanted === undefined ? error : `${error}: expected ${wanted}`;
}

function placeInWords(marked: string): string {
  const at = marked.lastIndexOf(MARK);
  if (at < 0) return '';
  const token = TOKEN.exec(marked.slice(0, at))?.[0];
  if (token !== undefined) return ` at "${token}"`;
  return marked.slice(at + MARK.length).trim() === '' ? ' at the end' : ': a text or comment has no end';
}

function expectedInWords(list: string): string | undefined {
  const notion = NOTIONS.get(list);
  if (notion !== undefined) return notion;
  const words = list.split(', ');
  if (words.length > SHOWN_WORDS) return undefined;
  const last = words.pop();
  return words.length === 0 ? last : `${words.join(', ')} or ${last}`;
}

/** Returns the text without the location in the statement, which is in `position`. */
function withoutPlace(text: string): string {
  const begin = text.lastIndexOf(PLACE);
  const found = begin < 0 ? null : PLACE_AND_HINTS.exec(text.slice(begin));
  if (found === null) return text;
  const [, hints] = found;
  return text.slice(0, begin) + (hints === undefined ? '' : ` (${hints})`);
}
