/** Answers statements as if values that cannot be converted were NULL. */
import type { Outcome } from './targets.ts';

type Ask = (sql: string) => Promise<Outcome>;

/** Maximum number of distinct values that are replaced in a statement. */
const MAX_VALUES = 60;

/**
 * Returns svc's answers to the statement with NULL instead of every value that svc cannot convert, as if the conversion
 * was not evaluated: in constants and columns, in columns, in one of them. There is none if svc rejects the statement
 * for another reason.
 */
export async function withoutInvalidValues(sql: string, ask: Ask): Promise<Outcome[]> {
  const columns = await columnsOf(sql, ask);
  const answers: Outcome[] = [];
  for (const places of [
    { columns, constants: true },
    { columns },
    ...columns.map((column) => ({ columns: [column] })),
  ]) {
    const answer = await answerWithNulls(sql, places, ask);
    if (answer !== undefined) answers.push(answer);
  }
  return answers;
}

/** The places where NULL replaces a value. */
interface Places {
  readonly columns: readonly string[];
  readonly constants?: boolean;
}

async function answerWithNulls(sql: string, places: Places, ask: Ask): Promise<Outcome | undefined> {
  const values = new Set<string>();
  let outcome = await ask(sql);
  while (outcome.kind === 'rejected' && values.size < MAX_VALUES) {
    const value = invalidValue(outcome.text);
    if (value === undefined || values.has(value)) return undefined;
    values.add(value);
    outcome = await ask(withNulls(sql, places, [...values].map(quoted)));
  }
  return outcome.kind === 'rows' ? outcome : undefined;
}

/** Returns the value that a conversion error names. */
export function invalidValue(text: string): string | undefined {
  const [, value] =
    /^(?:Data conversion error converting|Cannot parse "\w+" constant) (?:"(.*?)")?; SQL/s.exec(
      text.replace(' ; SQL', ' ""; SQL'),
    ) ?? [];
  return value?.replaceAll('""', '"');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns the columns of the tables of a statement, as it names them. */
async function columnsOf(sql: string, ask: Ask): Promise<string[]> {
  const columns: string[] = [];
  for (const [, table, alias = ''] of sql.matchAll(/\b(?:FROM|JOIN|,) (HV_\w+|T_\w+)(?: (t\d+|[ab])\b)?/g)) {
    const outcome = await ask(`SELECT * FROM ${table}`);
    if (outcome.kind === 'rejected') continue;
    columns.push(...outcome.names.map((name) => (alias === '' ? name : `${alias}.${name}`)));
  }
  return [...new Set(columns)].filter((column) => new RegExp(`\\b${column}\\b`).test(sql));
}

function withNulls(sql: string, { columns, constants = false }: Places, values: readonly string[]): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((part, at, parts) => {
      if (at % 2 === 1) {
        const isTyped = /\b(DATE|TIME|TIMESTAMP) $/.test(parts[at - 1] ?? '');
        return constants && values.includes(part) && !isTyped ? 'CAST(NULL AS VARCHAR)' : part;
      }
      const known = part.replaceAll(/\?<([^>]*)>/g, (argument, value: string) =>
        constants && values.includes(quoted(value)) ? 'CAST(NULL AS VARCHAR)' : argument,
      );
      return known.replaceAll(/(?<![.\w])(?:(?:t\d+|[ab])\.)?(?:C\d+|ID)\b/g, (column) =>
        columns.includes(column)
          ? `CASE WHEN CAST(${column} AS VARCHAR) IN (${values.join(', ')}) THEN NULL ELSE ${column} END`
          : column,
      );
    })
    .join('');
}
