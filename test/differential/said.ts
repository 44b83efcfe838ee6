/** What two engines said about a statement, compared: their numbers, types, rows and failures. */

/** A column of the two-step planner whose scale is larger than its precision. */
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

/** Whether the texts differ in how their numbers are written only, or by that share of a number or that much. */
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

/** Rows in an order that does not depend on how their numbers are written. */
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

/** Whether Ignite refuses to order by a column that our answer has. */
export function losesPosition(ours: string | undefined, theirs = ''): boolean {
  const [, position] = /^Order by expression "(\d+)" must be in the result list/.exec(theirs) ?? [];
  return position !== undefined && Number(position) <= answerOf(ours).types.length;
}

/** Whether the answer is the number of rows that a statement changed. */
export function isCount(text = ''): boolean {
  return /^Long: \[\d+\]$/.test(text);
}

/** The cells of an answer by row, with the names of their types. */
interface Answer {
  readonly types: readonly string[];
  readonly rows: ReadonlyArray<readonly unknown[]>;
}

export function answerOf(text = ''): Answer {
  const [types = '', rows = ''] = text.split(/: (.*)/s);
  const storageValues = rows === '' ? [] : rows.split('] [').map((row): unknown[] => JSON.parse(opened(row)));
  return { types: types.split(','), rows: storageValues };
}

const WHOLE_BITS: ReadonlyMap<string, number> = new Map([
  ['Byte', 8],
  ['Short', 16],
  ['Integer', 32],
  ['Long', 64],
]);

function isOutOfType(storageValue: unknown, type: string | undefined): boolean {
  const bits = WHOLE_BITS.get(type ?? '');
  if (bits === undefined || typeof storageValue !== 'number') return false;
  return storageValue >= 2 ** (bits - 1) || storageValue < -(2 ** (bits - 1));
}

/**
 * Whether a column of whole numbers has a number that its type cannot hold, or NULL, which hides one that was only
 * calculated on the way.
 */
export function losesOverflow(text: string | undefined): boolean {
  const { types, rows } = answerOf(text);
  return rows.some((row) =>
    row.some((storageValue, column) => {
      const type = types[column] ?? '';
      return isOutOfType(storageValue, type) || (storageValue === null && WHOLE_BITS.has(type));
    }),
  );
}

/** Whether a number was refused that at least the smallest type cannot hold. */
export function isBeyondEveryByte(text = ''): boolean {
  const [, digits] = /^Numeric value out of range: "(-?\d+)"/.exec(text) ?? [];
  return digits !== undefined && isOutOfType(Number(digits), 'Byte');
}

/** Keys of the last ORDER BY: the column's place, and whether it goes down. */
function orderOf(sql: string): Array<{ readonly column: number; readonly descending: boolean }> {
  const [, keys = ''] = /.* ORDER BY (.*?)(?: LIMIT| OFFSET| FETCH|$)/s.exec(sql) ?? [];
  return keys.split(', ').map((key) => ({ column: Number.parseInt(key, 10) - 1, descending: key.includes(' DESC') }));
}

/**
 * Whether both have as many rows, the first key that is not the same in all rows goes down and stands behind another,
 * and Ignite has the lowest rows by that key where we have the highest.
 */
export function forgetsDescending(sql: string, left: string | undefined, right: string | undefined): boolean {
  const [ours, theirs] = [answerOf(left), answerOf(right)];
  if (ours.rows.length !== theirs.rows.length || !/(LIMIT|FETCH)/.test(sql)) return false;
  const order = orderOf(sql);
  const storageValues = ({ rows }: Answer, column: number): unknown[] => rows.map((row) => row[column]);
  const isConstant = (column: number): boolean =>
    new Set(
      [...storageValues(ours, column), ...storageValues(theirs, column)].map((storageValue) =>
        JSON.stringify(storageValue),
      ),
    ).size === 1;
  const at = order.findIndex(({ column }) => !isConstant(column));
  const key = order[at];
  if (key === undefined || at === 0 || !key.descending) return false;
  const highest = storageValues(ours, key.column).toSorted(compareStorageValues);
  const lowest = storageValues(theirs, key.column).toSorted(compareStorageValues);
  return lowest.every((storageValue, index) => compareStorageValues(storageValue, highest[index]) <= 0);
}

/** Order of two cells of a column; NULL is the lowest. */
function compareStorageValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return String(left) < String(right) ? -1 : 1;
}

/** Whether `text` has some of the rows of `whole` and no others; of an aggregate only that it has no more rows. */
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

/** Whether both have one row, and `text` differs only by NULL where `whole` has a value. */
export function hasNullsInstead(text: string | undefined, whole: string | undefined): boolean {
  const [[part, ...further], [all, ...others]] = [answerOf(text).rows, answerOf(whole).rows];
  if (part === undefined || all === undefined || further.length > 0 || others.length > 0) return false;
  if (part.length !== all.length) return false;
  return part.every(
    (storageValue, column) => storageValue === null || JSON.stringify(storageValue) === JSON.stringify(all[column]),
  );
}
