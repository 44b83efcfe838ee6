/** Rewrites statements to others with the same meaning to which a defect of Ignite does not apply. */

/** Strings and arguments. */
const STRINGS = /'(?:[^']|'')*'|\?<[^>]*>/g;

/** Applies a change to the parts of a statement that are neither strings nor arguments. */
function outsideStrings(sql: string, change: (part: string) => string): string {
  const strings = [...sql.matchAll(STRINGS)].map(([text]) => text);
  return sql
    .split(STRINGS)
    .map((part, at) => change(part) + (strings[at] ?? ''))
    .join('');
}

const STRINGS_AND_PARENTHESES = new RegExp(`${STRINGS.source}|[()]`, 'g');

/** Returns the index of the parenthesis that closes the one at `open`; the length of the statement if none does. */
function closingOf(sql: string, open: number): number {
  let depth = 0;
  for (const { 0: token, index } of sql.slice(open).matchAll(STRINGS_AND_PARENTHESES)) {
    if (token === '(') depth++;
    else if (token === ')' && --depth === 0) return open + index;
  }
  return sql.length;
}

/** Replaces key columns by sums, which do not limit a statement to the partition of a key. */
export function withComputedKeys(sql: string): string {
  return outsideStrings(sql, (part) => part.replaceAll(/\bt\d+\.ID\b/g, '($& + 0)'));
}

/** Replaces IN, ANY and ALL before subqueries, which all return one row, by comparisons. */
export function withComparedSubqueries(sql: string): string {
  return outsideStrings(sql, (part) =>
    part
      .replaceAll(' NOT IN (SELECT MAX(', ' <> (SELECT MAX(')
      .replaceAll(' IN (SELECT MAX(', ' = (SELECT MAX(')
      .replaceAll(/ (?:ANY|ALL) \(SELECT MAX\(/g, ' (SELECT MAX('),
  );
}

/** Replaces the subtraction of a number before BETWEEN by the addition of its negative. */
export function withAddedNumbers(sql: string): string {
  return outsideStrings(sql, (part) => part.replaceAll(/ - ([\d.]+)\)(?= (?:NOT )?BETWEEN )/g, ' + -$1)'));
}

/** Writes a subquery that is a whole condition or a key of GROUP BY as part of an expression. */
export function withEnclosedSubqueries(sql: string): string {
  const grouped = [...sql.matchAll(/(?<= GROUP BY |, )\(SELECT /g)].map(({ index }) =>
    sql.slice(index, closingOf(sql, index) + 1),
  );
  const enclosed = [...new Set(grouped)].reduce(
    (text, key) => text.replaceAll(key, () => `COALESCE(${key}, NULL)`),
    sql,
  );
  return ['WHERE', 'ON', 'HAVING'].reduce(
    (text, word) => withEnclosedConditions(text, word),
    withParentheses(enclosed),
  );
}

/** Adds the parentheses of a subquery of one expression that is a whole WHERE, or an ON before another join. */
function withParentheses(sql: string): string {
  const [begin, word = ''] = / (ON|WHERE) SELECT \(/.exec(sql) ?? [];
  if (begin === undefined) return sql;
  const at = sql.indexOf(begin);
  const closing = closingOf(sql, at + begin.length - 1);
  if (word === 'ON' && !/^ \w+ JOIN /.test(sql.slice(closing + 1))) return sql;
  return `${sql.slice(0, at)} ${word} (${sql.slice(at + word.length + 2, closing + 1)})${sql.slice(closing + 1)}`;
}

function withEnclosedConditions(sql: string, word: string): string {
  const begin = ` ${word} (SELECT `;
  let at = sql.indexOf(begin);
  let text = sql;
  while (at >= 0) {
    const open = at + word.length + 2;
    const closing = closingOf(text, open);
    if (
      /^(\)|$| (GROUP|HAVING|ORDER|LIMIT|OFFSET|FETCH|UNION|EXCEPT|INTERSECT|WHERE|\w+ JOIN) ?)/.test(
        text.slice(closing + 1),
      )
    )
      text = `${text.slice(0, open)}CAST(${text.slice(open, closing + 1)} AS BOOLEAN)${text.slice(closing + 1)}`;
    at = text.indexOf(begin, open);
  }
  return text;
}

/** Functions and casts whose result is a double when their arguments are constant. */
const DOUBLES = /\b(?:ROUND|FLOOR|CEIL|TRUNCATE|SQRT|EXP|LN|LOG10|POWER|SIN|COS|ATAN2|DEGREES|RADIANS|RAND|PI|CAST)\(/;
const DOUBLE_CAST = / AS (REAL|DOUBLE|DOUBLE PRECISION|FLOAT8|FLOAT\(\d+\))\)$/;

/** Applies a change to the calls of functions, the outer ones first; to their arguments where it changes nothing. */
function withCalls(sql: string, names: RegExp, change: (call: string) => string): string {
  const call = names.exec(sql);
  if (call === null) return sql;
  const open = call.index + call[0].length;
  const closing = closingOf(sql, open - 1) + 1;
  const text = sql.slice(call.index, closing);
  const changed = change(text);
  const end = changed === text ? open : closing;
  return sql.slice(0, call.index) + (changed === text ? call[0] : changed) + withCalls(sql.slice(end), names, change);
}

/** Replaces constant calls that return a double by expressions that are not constant. */
export function withDeferredDoubles(sql: string): string {
  return withCalls(sql, DOUBLES, (call) => {
    const [, type] = DOUBLE_CAST.exec(call) ?? [];
    if (/\bt\d+\.|SELECT|\?</.test(call) || (call.startsWith('CAST(') && type === undefined)) return call;
    return `COALESCE(${call}, CAST(NULL AS ${type ?? 'DOUBLE'}))`;
  });
}

/** Casts constants to INT instead of a narrower integer. */
export function withWideConstants(sql: string): string {
  return withCalls(sql, /\bCAST\(/, (call) => {
    const narrow = / AS (?:TINYINT|SMALLINT|INT2)\)$/;
    return /\bt\d+\.|SELECT|\?</.test(call) ? call : call.replace(narrow, ' AS INT)');
  });
}

/** Functions that svc does not evaluate before a statement runs. */
const EXPENSIVE =
  /\b(?:FORMATDATETIME|PARSEDATETIME|TO_CHAR|[LR]PAD|REPEAT|SPACE|REPLACE|STRING(?:EN|DE)CODE|REGEXP_REPLACE)\(/;

/** Replaces calls that only Ignite evaluates before a statement runs by expressions that are not constant. */
export function withDeferredCalls(sql: string): string {
  const matched = sql.replaceAll(/(?<= REGEXP )'(?:[^']|'')*'/g, 'COALESCE($&, CAST(NULL AS VARCHAR))');
  return withCalls(
    matched,
    EXPENSIVE,
    (call) => `COALESCE(${call}, CAST(NULL AS ${call.startsWith('PARSEDATETIME') ? 'TIMESTAMP' : 'VARCHAR'}))`,
  );
}

/** Replaces literals with a fraction (with `all`, also others) by expressions that are not constant. */
export function withDeferredNumbers(sql: string, all: boolean): string {
  const [, body = sql, rest = ''] = /^(.*?)((?: ORDER BY | LIMIT | OFFSET | FETCH )[^()]*)?$/s.exec(sql) ?? [];
  const deferred = outsideStrings(body, (part) => {
    const decimals = part.replaceAll(/(?<![\w.])\d+\.\d+/g, 'COALESCE($&, CAST(NULL AS DECIMAL))');
    return all ? decimals.replaceAll(INTEGER, 'COALESCE($&, CAST(NULL AS INT))') : decimals;
  });
  return deferred + rest;
}

/** An integer that is neither part of a type nor a later argument of a function. */
const INTEGER = /(?<![\w.]|, |\b(?:DECIMAL|NUMERIC|FLOAT|N?VARCHAR|TIME|TIMESTAMP)\()\d+(?![\w.])/g;

/** Returns the statement without the first one, two, ... keys of its ORDER BY. */
export function withFewerKeys(sql: string): string[] {
  const [, before, keys = '', after = ''] = /^(.* ORDER BY )(.*?)((?: LIMIT | OFFSET | FETCH ).*)?$/s.exec(sql) ?? [];
  if (before === undefined) return [];
  const all = keys.split(', ');
  return all.slice(1).map((_, at) => before + all.slice(at + 1).join(', ') + after);
}

/** Writes a common table as a derived table. */
export function withDerivedTable(sql: string): string {
  const begin = 'WITH w AS (';
  const at = sql.indexOf(begin);
  if (at < 0) return sql;
  const open = at + begin.length - 1;
  const closing = closingOf(sql, open);
  const query = sql.slice(open, closing + 1);
  return sql.slice(0, at) + sql.slice(closing + 2).replace(' FROM w', () => ` FROM ${query} w`);
}

/**
 * Returns a statement that counts the rows that satisfy the conditions of a select, except conditions with an
 * aggregate.
 */
export function withCountedRows(sql: string): string {
  const [select] = /^\(*SELECT (?:DISTINCT )?/.exec(sql) ?? [''];
  let from = select.length;
  for (let depth = 0; from < sql.length && !(depth === 0 && sql.startsWith(' FROM ', from)); from++) {
    if (sql[from] === '(') depth++;
    else if (sql[from] === ')') depth--;
  }
  const rest = sql.slice(from).replace(/ (?:GROUP BY|HAVING|ORDER BY|LIMIT|OFFSET|FETCH) [^()]*\)*$/, '');
  return `SELECT COUNT(*)${rest.replace(/ WHERE (?:COUNT|MAX)\(.*$/s, '')}`;
}

/** Writes the number of rows of FETCH. */
export function withFetchedRow(sql: string): string {
  return outsideStrings(sql, (part) => part.replaceAll(/(?<= FETCH (?:FIRST|NEXT)) ROWS ONLY/g, ' 1 ROWS ONLY'));
}

/** Replaces the argument of MIN by an expression, for which no index is read. */
export function withComputedMinimum(sql: string): string {
  return outsideStrings(sql, (part) =>
    part.replaceAll(/\bMIN\((DISTINCT )?((?:t\d+\.)?C\d+)\)/g, 'MIN($1COALESCE($2, NULL))'),
  );
}

const ROUNDINGS = /\b(?:ROUND|TRUNCATE|TRUNC|FLOOR|CEIL)\(/;

/** Casts the result of rounding a REAL to a REAL. */
export function withCastRoundings(sql: string): string {
  return withCalls(sql, ROUNDINGS, (call) => (call.includes(' AS REAL)') ? `CAST(${call} AS REAL)` : call));
}

/** Casts the results of rounding to integers: all of them, or those before the point only. */
export function withIntegerRoundings(sql: string): string[] {
  const cast = (call: string): string => `CAST(${call} AS BIGINT)`;
  return [
    withCalls(sql, ROUNDINGS, cast),
    withCalls(sql, ROUNDINGS, (call) => (/, -\d+\)$/.test(call) ? cast(call) : call)),
  ];
}

/** Casts the result of CONCAT to the string that it is declared to be. */
export function withCastConcatenations(sql: string): string {
  return withCalls(sql, /\bCONCAT(?:_WS)?\(/, (call) => `CAST(${call} AS VARCHAR)`);
}

/** Returns the statement without the precision of casts to TIME and TIMESTAMP. */
export function withoutPrecision(sql: string): string {
  return outsideStrings(sql, (part) => part.replaceAll(/(?<= AS TIME(?:STAMP)?)\(\d\)/g, ''));
}

/** Computes averages with ten digits more. */
export function withFurtherDigits(sql: string): string {
  return withCalls(sql, /\bAVG\(/, (call) => {
    const [, distinct = '', argument = ''] = /^AVG\((DISTINCT )?(.*)\)$/s.exec(call) ?? [];
    return `AVG(${distinct}(${argument}) * 1.0000000000)`;
  });
}

/** Replaces the terms of sums and averages by their magnitudes. */
export function withMagnitudes(sql: string): string {
  return withCalls(sql, /\b(?:SUM|AVG)\(/, (call) => {
    const [, name = '', argument = ''] = /^(SUM|AVG)\((?:DISTINCT )?(.*)\)$/s.exec(call) ?? [];
    return `${name}(ABS(${argument}))`;
  });
}

/** Returns all rows of a query instead of some. */
export function withoutLimit(sql: string): string {
  return sql.replace(/ (?:LIMIT|OFFSET|FETCH) [^()]*$/, '');
}

/** Writes `column IN (SELECT column FROM table)` with EXISTS and a comparison. */
export function withExists(sql: string): string {
  const parts = /^SELECT ID FROM (\w+) WHERE (\w+) IN \(SELECT (\w+) FROM (\w+)\)$/.exec(sql);
  if (parts === null) return sql;
  const [, table, column, foreign, another] = parts;
  const values = `SELECT 1 FROM (SELECT ${foreign} AS z FROM ${another}) q WHERE x.${column} = q.z`;
  return `SELECT ID FROM ${table} x WHERE EXISTS (${values})`;
}
