/** Compares two answers to a statement: their numbers, types, rows and errors. */

/** Returns whether Ignite's planner declared a column with a scale larger than its precision. */
export function isScaleFailure(text = ''): boolean {
  const [, scale, precision] = /Scale\(\$?"(\d+)"\) must not be bigger than precision\("(\d+)"\)/.exec(text) ?? [];
  return scale !== undefined && Number(scale) > Number(precision);
}

const NUMBER = /(?<=[[,])-?\d+(?:\.\d*)?(?:E[+-]?\d+)?(?=[,\]])/g;

export function withoutUuids(text = ''): string {
  return text.replaceAll(/\bUUID\b/g, '[B');
}

export function withoutQuotes(text = ''): string {
  return text.replaceAll(/"(-?\d+(?:\.\d+)?(?:E-?\d+)?)"/g, '$1');
}

export function withoutNumbers(text = ''): string {
  return withoutUuids(text).replaceAll(NUMBER, '#');
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

/** Returns whether both answers have the same rows, when rows of equal numbers count once. */
export function sameDistinctRows(left: string | undefined, right: string | undefined): boolean {
  const rows = (text: string | undefined): string =>
    [...new Set(withoutUuids(sortedRows(text)).split('] ['))].join('] [');
  const last = (text: string): string => text.replace(/\]$/, '');
  return last(rows(left)) === last(rows(right));
}

/** Returns the answer with its rows sorted, independent of the format of numbers. */
export function sortedRows(text = ''): string {
  const [types = '', rows = ''] = text.split(/: (.*)/s);
  const canonical = rows.replaceAll(NUMBER, (digits) => String(Number(digits)));
  return `${types}: ${canonical.split('] [').map(opened).toSorted().join(' ')}`;
}

function opened(row: string): string {
  return `[${row.replace(/^\[/, '').replace(/\]$/, '')}]`;
}

export function withoutMidnights(text = ''): string {
  return withoutUuids(text)
    .replaceAll(' 00:00:00.0"', '"')
    .replace(/^[^:]*:/, (types) => types.replaceAll('Timestamp', 'Date'));
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
  const values = rows === '' ? [] : rows.split('] [').map((row): unknown[] => JSON.parse(opened(row)));
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

/** Returns whether the value that a conversion error names is a literal of the statement. */
export function namesLiteral(sql: string, text = ''): boolean {
  const [, value] = /^(?:Data conversion error converting|Cannot parse "\w+" constant) "(.*?)"; SQL/s.exec(text) ?? [];
  return value !== undefined && sql.includes(`'${value.replaceAll("'", "''")}'`);
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

/**
 * Returns whether Ignite sorted ascending by the first key that differs between rows, though it is a descending key
 * behind a constant one: both have the same number of rows, but Ignite those with the lowest keys.
 */
export function forgetsDescending(sql: string, left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [answerOf(left), answerOf(right)];
  if (ours.rows.length !== theirs.rows.length || !/(LIMIT|FETCH)/.test(sql)) return false;
  const order = orderOf(sql);
  const values = ({ rows }: Answer, column: number): unknown[] => rows.map((row) => row[column]);
  const isConstant = (column: number): boolean =>
    new Set([...values(ours, column), ...values(theirs, column)].map((value) => JSON.stringify(value))).size === 1;
  const at = order.findIndex(({ column }) => !isConstant(column));
  const key = order[at];
  if (key === undefined || at === 0 || !key.descending) return false;
  const highest = values(ours, key.column).toSorted(compareValues);
  const lowest = values(theirs, key.column).toSorted(compareValues);
  return lowest.every((value, index) => compareValues(value, highest[index]) <= 0);
}

/** Compares two values of a column. NULL sorts first. */
function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return String(left) < String(right) ? -1 : 1;
}

/** Returns whether the rows of `text` are a subset of those of `whole`; for aggregates only that there are no more. */
export function hasFewerRows(sql: string, text: string | undefined, whole: string | undefined): boolean {
  const [part, all] = [answerOf(text), answerOf(whole)];
  if (part.types.join() !== all.types.join() && withoutUuids(part.types.join()) !== withoutUuids(all.types.join()))
    return false;
  const [list = ''] = sql.replace(/^(WITH w AS \(|SELECT \* FROM \(|\()+/, '').split(/\(SELECT | FROM /);
  if (/\b(SUM|COUNT|AVG|MIN|MAX)\(/.test(list)) return part.rows.length <= all.rows.length;
  const left = new Map<string, number>();
  for (const row of all.rows) left.set(JSON.stringify(row), (left.get(JSON.stringify(row)) ?? 0) + 1);
  return (
    part.rows.length < all.rows.length &&
    part.rows.every((row) => {
      const count = left.get(JSON.stringify(row)) ?? 0;
      left.set(JSON.stringify(row), count - 1);
      return count > 0;
    })
  );
}

/**
 * Returns whether `text` is an answer over some partitions of the rows of `whole`: there are fewer rows, and a subquery
 * may have found none, which is a NULL. A limit hides which rows are missing.
 */
export function isOfOnePartition(sql: string, text: string | undefined, whole: string | undefined): boolean {
  const [part, all] = [answerOf(text), answerOf(whole)];
  if (part.rows.length > all.rows.length) return false;
  if (/ LIMIT | FETCH /.test(sql)) return part.rows.length < all.rows.length;
  const matches = (row: readonly unknown[], other: readonly unknown[]): boolean =>
    row.every((value, column) => value === null || JSON.stringify(value) === JSON.stringify(other[column]));
  return part.rows.every((row) => all.rows.some((other) => matches(row, other)));
}

/** Returns whether the answers differ, but only by 1 in columns of BIGINTs. */
export function areLongsOneApart(left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [answerOf(left), answerOf(right)];
  const isClose = (type: string | undefined, a: unknown, b: unknown): boolean =>
    JSON.stringify(a) === JSON.stringify(b) ||
    (type === 'Long' && typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= 1);
  return (
    left !== right &&
    ours.rows.length === theirs.rows.length &&
    ours.rows.every((row, at) =>
      row.every((value, column) => isClose(ours.types[column], value, theirs.rows[at]?.[column])),
    )
  );
}

export function withoutTruths(text = ''): string {
  return withoutUuids(text).replaceAll(/(?<=[[,])(true|false)(?=[\],])/g, '?');
}

export function withoutSeconds(text = ''): string {
  return withoutUuids(text).replaceAll(/:\d\d(\.\d+)?"/g, '"');
}

/** Writes times on the first day of the epoch as times. */
export function withoutEpoch(text = ''): string {
  return withoutUuids(text).replaceAll(/"1970-01-01 (\d\d:\d\d:\d\d)(\.\d+)?"/g, '"$1"');
}

/**
 * Returns whether only types differ: of columns that are NULL in all rows, and untyped in Ignite's answer, and of
 * DATEADD and ROUND, which have other types when their arguments are constant.
 */
export function losesTypeOfConstant(sql: string, left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [answerOf(withoutUuids(left)), answerOf(withoutUuids(right))];
  return ours.types.every((type, column) => {
    const other = theirs.types[column];
    if (type === other) return true;
    if (other === 'Void') return ours.rows.every((row) => row[column] === null);
    if (type === 'Integer' && other === 'Double') return /\b(ROUND|FLOOR|CEIL|TRUNC)/.test(sql);
    return sql.includes('DATEADD(') && type === 'Timestamp' && (other === 'Time' || other === 'Date');
  });
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

/** Returns whether both have one row, and `text` differs only by NULLs where `whole` has values. */
export function hasNullsInstead(text: string | undefined, whole: string | undefined): boolean {
  const [[part, ...further], [all, ...others]] = [answerOf(text).rows, answerOf(whole).rows];
  if (part === undefined || all === undefined || further.length > 0 || others.length > 0) return false;
  if (part.length !== all.length) return false;
  return part.every((value, column) => value === null || JSON.stringify(value) === JSON.stringify(all[column]));
}
