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
  return text.replaceAll(/"(?=-?\d+(?:\.\d+)?")|(?<="-?\d+(?:\.\d+)?)"/g, '');
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

/** Returns whether Ignite rejected an ORDER BY position that our result has. */
export function losesPosition(ours: string | undefined, theirs = ''): boolean {
  const [, position] = /^Order by expression "(\d+)" must be in the result list/.exec(theirs) ?? [];
  return position !== undefined && Number(position) <= answerOf(ours).types.length;
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

const WHOLE_BITS: ReadonlyMap<string, number> = new Map([
  ['Byte', 8],
  ['Short', 16],
  ['Integer', 32],
  ['Long', 64],
]);

function overflows(value: unknown, type: string | undefined): boolean {
  const bits = WHOLE_BITS.get(type ?? '');
  if (bits === undefined || typeof value !== 'number') return false;
  return value >= 2 ** (bits - 1) || value < -(2 ** (bits - 1));
}

/**
 * Returns whether svc rejects a number that TINYINT cannot hold, and Ignite returns it: in a column that is too narrow
 * for it, or as it is in a wider one. A NULL in an integer column may hide an intermediate overflow.
 */
export function losesOverflow(ours: string | undefined, theirs: string | undefined): boolean {
  const number = overflowingNumber(ours);
  if (number === undefined || !overflows(number, 'Byte')) return false;
  const { types, rows } = answerOf(theirs);
  return rows.some((row) =>
    row.some((value, column) => {
      const type = types[column] ?? '';
      return overflows(value, type) || (WHOLE_BITS.has(type) && (value === null || value === number));
    }),
  );
}

/** Returns whether the error is an overflow of a number that TINYINT cannot hold. */
export function isBeyondEveryByte(text = ''): boolean {
  const number = overflowingNumber(text);
  return number !== undefined && overflows(number, 'Byte');
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

/** Returns whether both have one row, and `text` differs only by NULLs where `whole` has values. */
export function hasNullsInstead(text: string | undefined, whole: string | undefined): boolean {
  const [[part, ...further], [all, ...others]] = [answerOf(text).rows, answerOf(whole).rows];
  if (part === undefined || all === undefined || further.length > 0 || others.length > 0) return false;
  if (part.length !== all.length) return false;
  return part.every((value, column) => value === null || JSON.stringify(value) === JSON.stringify(all[column]));
}
