/** The reasons for which svc answers statements of H2's scripts in another way than Ignite. */
import type { Outcome } from './targets.ts';

/** A statement that Ignite accepts and svc answers in another way. */
export interface ScriptDifference {
  readonly script: string;
  readonly line: number;
  readonly sql: string;
  readonly what: 'rejected' | 'rows' | 'types' | 'names';
  /** Why svc deviates; absent: nobody has explained the difference. */
  readonly reason?: string;
  readonly ignite: string;
  readonly svc: string;
}

/** Why svc deviates: the statement and the answer of Ignite match. */
interface Explanation {
  readonly reason: string;
  readonly sql: RegExp;
  readonly ignite?: RegExp;
}

const EXPLAINED: readonly Explanation[] = [
  { reason: 'Strings are no objects.', sql: /x '', '', '', '', ''/i },
  {
    reason: 'The smallest integer divided by -1 is out of range (known difference 51).',
    sql: /cast\(-\d+ as (tiny|small|big)?int\) \/ cast\(-1 as/i,
  },
  { reason: 'Years have at most nine digits (known difference 51).', sql: /'-?1000000000-/ },
  { reason: 'A decimal has a bounded exponent (known difference 44).', sql: /e99999/i },
  { reason: 'Texts of dates keep the sign of the year.', sql: /date\s*'-/i },
  { reason: 'Ignite compares a date with the timestamp that it declares.', sql: /in \(select d1 - 1 from/i },
  { reason: 'Ignite answers AND with its operand, and negates it wrongly.', sql: /not ?\(c (!= 2 )?and c\)/i },
  { reason: 'NULL is no type of a column.', sql: /table\(x null=/i },
  {
    reason: 'Columns of BLOB hold bytes (known difference 52).',
    sql: /^select b from test/i,
    ignite: /java\.lang\.Object/,
  },
  { reason: 'Variables are not supported.', sql: /@v\b|^drop view v1$/i },
  { reason: 'A condition on tables with the same alias filters both.', sql: /^select 1 from test, test where/i },
];

/** Returns why svc deviates; undefined when nobody has explained the difference. */
export function reasonOf({ sql, ignite }: ScriptDifference): string | undefined {
  const holds = (each: Explanation): boolean => each.sql.test(sql) && each.ignite?.test(ignite) !== false;
  return EXPLAINED.find(holds)?.reason;
}

/** Columns of INFORMATION_SCHEMA whose values depend on the node. */
const NODE_COLUMNS: ReadonlySet<string> = new Set([
  ...[
    'TABLE_CATALOG',
    'CATALOG_NAME',
    'CONSTRAINT_CATALOG',
    'ALIAS_CATALOG',
    'ID',
    'SQL',
    'TABLE_CLASS',
    'INDEX_CLASS',
  ],
  ...['LAST_MODIFICATION', 'ROW_COUNT_ESTIMATE', 'VIEW_DEFINITION'],
]);

/** Returns why rows of INFORMATION_SCHEMA differ: only in columns whose values depend on the node. */
export function metadataReasonOf(sql: string, ignite: Outcome, svc: Outcome): string | undefined {
  if (!/\binformation_schema\./i.test(sql) || ignite.kind === 'rejected' || svc.kind === 'rejected') return undefined;
  const isSame = comparable(ignite).join('\n') === comparable(svc).join('\n');
  return isSame ? 'Names of catalogs, ids and definitions depend on the node.' : undefined;
}

function comparable({ rows, names }: Outcome & { readonly kind: 'rows' }): string[] {
  return rows.map((row) => row.filter((_, at) => !NODE_COLUMNS.has(names[at] ?? '')).join()).toSorted();
}

/** Changes that svc and Ignite answer in different ways on purpose, after which the rows of their tables differ. */
const DIVERGING = [
  {
    reason: 'An INSERT of several rows is atomic (known difference 27).',
    sql: /^\s*insert\s+into\s+([\w."]+)/i,
    ignite: /Failed to INSERT some keys/,
  },
] as const;

/** The tables of a script whose rows differ because of an earlier change, and the views of these tables. */
export class DivergedTables {
  readonly #reasons = new Map<string, string>();

  /** Notes a statement and what Ignite answered. */
  note(sql: string, ignite: Outcome): void {
    const [, dropped] = /^\s*drop\s+table\s+(?:if\s+exists\s+)?([\w."]+)/i.exec(sql) ?? [];
    if (dropped !== undefined) this.#reasons.delete(dropped.toUpperCase());
    const [, view, query = ''] = /^\s*create\s+(?:or\s+replace\s+)?view\s+([\w."]+)([\s\S]*)$/i.exec(sql) ?? [];
    const inherited = this.reasonOf(query);
    if (view !== undefined && inherited !== undefined) this.#reasons.set(view.toUpperCase(), inherited);
    if (ignite.kind !== 'rejected') return;
    for (const { reason, sql: change, ignite: text } of DIVERGING) {
      const [, table] = change.exec(sql) ?? [];
      if (table !== undefined && text.test(ignite.text)) this.#reasons.set(table.toUpperCase(), reason);
    }
  }

  /** Returns why the rows of a query differ; undefined when it reads no such table. */
  reasonOf(sql: string): string | undefined {
    const [table] = (sql.toUpperCase().match(/[\w."]+/g) ?? []).filter((word) => this.#reasons.has(word));
    return table === undefined ? undefined : this.#reasons.get(table);
  }
}
