/** The reasons why svc answers statements of H2's scripts differently from Ignite. */
import type { Outcome } from './targets.ts';

/** A statement that Ignite accepts and svc answers differently. */
export interface ScriptDifference {
  readonly script: string;
  readonly line: number;
  readonly sql: string;
  readonly what: 'rejected' | 'rows' | 'types' | 'names';
  /** Why svc deviates; absent: no one has explained the difference. */
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
  { reason: 'Strings are no objects.', sql: /x '', '', '', '', ''|\(0, x'', x'', x'', '', ''\)/i },
  { reason: 'A statement is atomic (known difference 27).', sql: /^select a \|\| '\*', b \|\| '\*', a \|\| b/i },
  { reason: 'Columns of CLOB hold text (known difference 52).', sql: /^select ora_hash\([ibsc]\) from test$/i },
  { reason: 'Columns of GEOMETRY are not supported.', sql: /\bgeometry\b/i },
  {
    reason: 'Columns of GEOMETRY are not supported.',
    sql: /^select index_name, index_type_name from information_schema\.indexes where table_name = 'TEST'$/i,
    ignite: /_key_PK_hash/,
  },
  { reason: 'A decimal has a bounded exponent (known difference 44).', sql: /e99999/i },
  { reason: 'Ignite answers AND with its operand, and negates it wrongly.', sql: /not ?\(c (!= 2 )?and c\)/i },
  {
    reason: 'Columns of BLOB hold bytes (known difference 52).',
    sql: /^select b from test/i,
    ignite: /java\.lang\.Object/,
  },
  {
    reason: 'svc has system views of its own.',
    sql: /^select table_name, sql from information_schema\.tables where table_type='VIEW'$/i,
  },
  { reason: 'Variables are not supported.', sql: /@v\b|^drop view v1$/i },
  { reason: 'A condition on tables with the same alias filters both.', sql: /^select 1 from test, test where/i },
];

/** Returns why svc deviates, or undefined if no one has explained the difference. */
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
