/** Compares two answers to a statement: their numbers, types, rows and errors. */
import { formatDouble } from '../../src/values/java-number.ts';
import type { Outcomes } from './difference.ts';
import { invalidValue } from './invalid-values.ts';
import type { Outcome } from './targets.ts';

/** Returns whether Ignite's planner declared a column with a scale larger than its precision. */
export function isScaleFailure(text = ''): boolean {
  const [, scale, precision] = /Scale\(\$?"(\d+)"\) must not be bigger than precision\("(\d+)"\)/.exec(text) ?? [];
  return scale !== undefined && Number(scale) > Number(precision);
}

const NUMBER = /(?<=[[,])-?\d+(?:\.\d*)?(?:[Ee][+-]?\d+)?(?=[,\]])/g;

export function withoutQuotes(text = ''): string {
  return text.replaceAll(/"(-?\d+(?:\.\d+)?(?:E-?\d+)?)"/g, '$1');
}

export function withoutNumbers(text = ''): string {
  return text.replaceAll(NUMBER, '#');
}

/** Returns whether the answers are equal except for numbers that differ at most by a share of them or by `much`. */
export function sameNumbers(left: string | undefined, right: string | undefined, share: number, much = 0): boolean {
  const [a, b] = [sortedRows(left), sortedRows(right)];
  if (withoutNumbers(a) !== withoutNumbers(b)) return false;
  const numbers = (text: string): number[] => [...text.matchAll(NUMBER)].map(([digits]) => Number(digits));
  const others = numbers(b);
  return numbers(a).every((number, at) => {
    const other = others[at] ?? Number.NaN;
    return Math.abs(number - other) <= Math.max(much, share * Math.max(Math.abs(number), Math.abs(other)));
  });
}

/** Returns whether the answers differ, but only by numbers that are a share apart. */
export function nearlySame(left: string | undefined, right: string | undefined, share: number): boolean {
  return !sameNumbers(left, right, 0) && sameNumbers(left, right, share);
}

/** Returns the answer with its rows sorted, independent of the format of numbers. */
export function sortedRows(text = ''): string {
  const [types = '', rows = ''] = text.split(/: (.*)/s);
  const canonical = rows.replaceAll(NUMBER, (digits) => String(Number(digits)));
  return `${types}: ${splitRows(canonical).toSorted().join(' ')}`;
}

/** Splits an answer into rows; its strings may contain the separators. A JSON text has no line feed. */
function splitRows(rows: string): string[] {
  const separated = rows.replaceAll(/"(?:[^"\\]|\\.)*"|\] \[/g, (part) => (part === '] [' ? ']\n[' : part));
  return separated.split('\n');
}

export function withoutMidnights(text = ''): string {
  return text.replaceAll(' 00:00:00.0"', '"').replace(/^[^:]*:/, (types) => types.replaceAll('Timestamp', 'Date'));
}

/** Writes midnights in strings as dates. */
export function withoutTextMidnights(text = ''): string {
  return text.replaceAll(' 00:00:00"', '"');
}

/** Returns whether the answers have the same rows, except that one has dates where the other has their midnights. */
export function withSameMidnights(left: string | undefined, right: string | undefined): boolean {
  return sortedRows(withoutMidnights(left)) === sortedRows(withoutMidnights(right));
}

/** Returns whether Ignite rejected a position of ORDER BY that the statement has. */
export function losesPosition(sql: string, theirs = ''): boolean {
  const [, position] = /^Order by expression "(\d+)" must be in the result list/.exec(theirs) ?? [];
  return position !== undefined && orderOf(sql).some(({ column }) => column === Number(position) - 1);
}

/** Returns whether the answer is the number of changed rows. */
export function isCount(text = ''): boolean {
  return /^Long: \[\d+\]$/.test(text);
}

/** The values of an answer by row, and the names of their types. */
interface Answer {
  readonly types: readonly string[];
  readonly rows: ReadonlyArray<readonly unknown[]>;
}

export function answerOf(text = ''): Answer {
  const [types = '', rows = ''] = text.split(/: (.*)/s);
  const values = rows === '' ? [] : splitRows(rows).map((row): unknown[] => JSON.parse(row));
  return { types: types.split(','), rows: values };
}

/** The narrow types, with the first number beyond each. */
const NARROW_BOUNDS = { TINYINT: 2 ** 7, SMALLINT: 2 ** 15 } as const;

/** Returns whether the error is an overflow of TINYINT or SMALLINT in a statement with a constant of that type. */
export function isOverflowOfNarrow(sql: string, text: string | undefined): boolean {
  const number = overflowingNumber(text);
  if (number === undefined) return false;
  return (['TINYINT', 'SMALLINT'] as const).some((type) => {
    const bound = NARROW_BOUNDS[type];
    return (number >= bound || number < -bound) && new RegExp(`CAST\\(-?\\d+ AS ${type}\\)`).test(sql);
  });
}

/** The same as {@link isOverflowOfNarrow}, and for products of constants that BIGINT cannot hold. */
export function isOverflowOfConstant(sql: string, text: string | undefined): boolean {
  const isLong = /CAST\(-?\d+ AS BIGINT\) [+*-]/.test(sql) && overflowingNumber(text) !== undefined;
  return isLong || isOverflowOfNarrow(sql, text);
}

/** Returns whether the value that a conversion error names is an argument of the statement. */
export function namesArgument(sql: string, text = ''): boolean {
  const value = invalidValue(text);
  return value !== undefined && sql.includes(`?<${value}>`);
}

/** Returns the number that an overflow error names. */
function overflowingNumber(text = ''): number | undefined {
  const [, digits] = /^Numeric value out of range: "(-?\d+)"/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns the keys of the last ORDER BY. */
function orderOf(sql: string): Array<{ readonly column: number; readonly descending: boolean }> {
  const [, keys = ''] = /.* ORDER BY (.*?)(?: LIMIT| OFFSET| FETCH|$)/s.exec(sql) ?? [];
  return keys.split(', ').map((key) => ({ column: Number.parseInt(key, 10) - 1, descending: key.includes(' DESC') }));
}

/** Returns the answer with sorted rows and without the seconds of times and timestamps. */
export function withoutSeconds(text = ''): string {
  return sortedRows(text.replaceAll(/:\d\d(\.\d+)?"/g, '"'));
}

/** Writes times on the first day of the epoch as times. */
export function withoutEpoch(text = ''): string {
  return text.replaceAll(/"1970-01-01 (\d\d:\d\d:\d\d)(\.\d+)?"/g, '"$1"');
}

/** Returns whether the answers have the same rows after dates and times in columns of timestamps were converted. */
export function withSameTimestamps(left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [withTimestamps(left), withTimestamps(right)];
  return ours.types.join() === theirs.types.join() && ours.rows.join('\n') === theirs.rows.join('\n');
}

function withTimestamps(text: string | undefined): { readonly types: readonly string[]; readonly rows: string[] } {
  const { types, rows } = answerOf(text);
  const converted = (value: unknown, at: number): unknown =>
    types[at] === 'Timestamp' && typeof value === 'string' ? timestampText(value) : value;
  return { types, rows: rows.map((row) => JSON.stringify(row.map(converted))).toSorted() };
}

function timestampText(text: string): string {
  if (/^\d{4,}-\d\d-\d\d$/.test(text)) return `${text} 00:00:00.0`;
  return /^\d\d:\d\d:\d\d$/.test(text) ? `1970-01-01 ${text}.0` : text;
}

/** Returns whether Ignite sorted numbers in a column of strings, and a limit then selected other rows. */
export function hasTextForNumber(sql: string, left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [answerOf(left), answerOf(right)];
  if (!/ LIMIT | FETCH /.test(sql) || ours.rows.length !== theirs.rows.length) return false;
  return theirs.rows.some((row) => row.some((value, at) => theirs.types[at] === 'String' && typeof value === 'number'));
}

/** Returns whether an answer has a string in a column of numbers. */
export function hasTextInNumber(text: string | undefined): boolean {
  const { types, rows } = answerOf(text);
  return rows.some((row) =>
    row.some(
      (value, column) =>
        typeof value === 'string' && /^(Byte|Short|Integer|Long|BigDecimal|Double)$/.test(types[column] ?? ''),
    ),
  );
}

const EXACT: ReadonlySet<string> = new Set([
  'java.lang.Byte',
  'java.lang.Short',
  'java.lang.Integer',
  'java.lang.Long',
  'java.math.BigDecimal',
]);

/** Returns whether a value is a double in a column of a type: with a fraction among integers, or written as 3.0E9. */
function isDoubleOf(type: string, value = ''): boolean {
  return type === 'java.math.BigDecimal' ? /\dE\d/.test(value) : /[.E]/.test(value);
}

/** Returns an outcome with doubles in the columns of exact numbers where the other outcome has doubles. */
export function withDoublesOfRounding(exact: Outcome, doubles: Outcome): Outcome {
  if (exact.kind === 'rejected' || doubles.kind === 'rejected') return exact;
  const isDouble = exact.types.map(
    (type, at) => EXACT.has(type) && doubles.rows.some((row) => isDoubleOf(type, row[at])),
  );
  if (!isDouble.includes(true)) return exact;
  return {
    ...exact,
    types: exact.types.map((type, at) => (isDouble[at] === true ? (doubles.types[at] ?? type) : type)),
    rows: exact.rows.map((row) =>
      row.map((value, at) => (isDouble[at] === true && value !== 'null' ? formatDouble(Number(value)) : value)),
    ),
  };
}

/** Returns whether svc has a double wherever Ignite has another value, which is the REAL that the double equals. */
export function hasRealsForDoubles({ svc, ignite }: Outcomes): boolean {
  if (svc.kind === 'rejected' || ignite.kind === 'rejected' || svc.rows.length !== ignite.rows.length) return false;
  const isDouble = svc.types.map((type) => type === 'java.lang.Double');
  const real = (value: string, at: number): string =>
    isDouble[at] === true && value !== 'null' ? String(Math.fround(Number(value))) : value;
  const sorted = (rows: ReadonlyArray<readonly string[]>) =>
    rows.map((row) => ({ row, key: row.map(real).join() })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const theirs = sorted(ignite.rows);
  return sorted(svc.rows).every(({ row }, at) =>
    row.every((value, column) => {
      const other = theirs[at]?.row[column] ?? '';
      return value === other || (isDouble[column] === true && Number(value) === Math.fround(Number(other)));
    }),
  );
}

/** Returns whether Ignite has the rows of svc, but some of them several times, where each row must occur once. */
export function hasRowsTwice({ svc, ignite }: Outcomes): boolean {
  if (svc.kind === 'rejected' || ignite.kind === 'rejected') return false;
  const [ours, theirs] = [svc.rows.map((row) => row.join()), new Set(ignite.rows.map((row) => row.join()))];
  return theirs.size < ignite.rows.length && theirs.size === ours.length && ours.every((row) => theirs.has(row));
}

const NARROW: ReadonlySet<string | undefined> = new Set(['java.lang.Byte', 'java.lang.Short']);

/** Returns an outcome with TINYINT and SMALLINT in the columns of INT where the other outcome has them. */
export function withNarrowTypes(integers: Outcome, narrow: Outcome): Outcome {
  if (integers.kind === 'rejected' || narrow.kind === 'rejected') return integers;
  const types = integers.types.map((type, at) => {
    const other = narrow.types[at];
    return type === 'java.lang.Integer' && other !== undefined && NARROW.has(other) ? other : type;
  });
  return { ...integers, types };
}
