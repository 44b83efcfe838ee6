/** The editor's completions at a position: columns of the statement's tables, their aliases, tables, schemas. */
import { quoted, quotedIfNeeded } from '../elements/sql-names.ts';
import { statementAt, statementsOf } from './statements.ts';
import { nameOf, type Token, tokensOf } from './tokens.ts';

/** Columns by table by schema, in the case in which the service has them. */
export type Schemas = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface Proposal {
  readonly label: string;
  readonly kind: 'column' | 'table' | 'alias' | 'schema';
  /** Its origin: the table of a column, the schema of a table. */
  readonly detail: string;
}

export interface Proposals {
  /** The beginning of the text that they replace. */
  readonly from: number;
  readonly proposals: readonly Proposal[];
}

export const DEFAULT_SCHEMA = 'PUBLIC';
/** Words before the name of a table. */
const BEFORE_TABLES: ReadonlySet<string> = new Set(['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE']);
/** Words after the name of a table that are not its alias. */
const NO_ALIAS: ReadonlySet<string> = new Set(
  (
    'ALL AND AS CROSS EXCEPT FETCH FOR FULL GROUP HAVING INNER INTERSECT JOIN LEFT LIMIT MINUS NATURAL OFFSET ON ' +
    'ORDER OUTER QUALIFY RIGHT SELECT SET UNION USE USING VALUES WHEN WHERE WINDOW WITH ADD DROP ALTER KEY'
  ).split(' '),
);

export interface TableReference {
  readonly schema: string | undefined;
  readonly table: string;
  /** The name under which columns are written: the alias, or the table. */
  readonly alias: string;
}

const isName = (token: Token | undefined): token is Token => token?.kind === 'word' || token?.kind === 'quoted';

/** Reads the name of a table and its alias; returns the position after them. */
function readReference(tokens: readonly Token[], start: number): { reference?: TableReference; next: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    const token = tokens[at];
    if (!isName(token) || (token.kind === 'word' && NO_ALIAS.has(nameOf(token)))) break;
    path.push(nameOf(token));
    at++;
    if (tokens[at]?.text !== '.') break;
    at++;
  }
  const table = path.at(-1);
  if (table === undefined) return { next: at };
  if (tokens[at]?.text.toUpperCase() === 'AS') at++;
  const after = tokens[at];
  const hasAlias = isName(after) && !(after.kind === 'word' && NO_ALIAS.has(nameOf(after)));
  const alias = hasAlias ? nameOf(after) : table;
  return { reference: { schema: path.at(-2), table, alias }, next: hasAlias ? at + 1 : at };
}

/** Returns the tables that a statement names, with their aliases. */
export function tablesIn(sql: string): TableReference[] {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== 'comment');
  const found: TableReference[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at++];
    if (token?.kind !== 'word' || !BEFORE_TABLES.has(token.text.toUpperCase())) continue;
    for (;;) {
      const { reference, next } = readReference(tokens, at);
      at = next;
      if (reference !== undefined) found.push(reference);
      if (reference === undefined || tokens[at]?.text !== ',') break;
      at++;
    }
  }
  return found;
}

function columnsOf(schemas: Schemas, schema: string | undefined, table: string): readonly string[] {
  return schemas[schema ?? DEFAULT_SCHEMA]?.[table] ?? [];
}

const columnProposals = (columns: readonly string[], detail: string): Proposal[] =>
  columns.map((label) => ({ label, kind: 'column', detail }));

const tableProposals = (schemas: Schemas, schema: string): Proposal[] =>
  Object.keys(schemas[schema] ?? {}).map((label) => ({ label, kind: 'table', detail: schema }));

/** Returns the completions after a name and a dot. */
function proposalsBehind(path: readonly string[], references: readonly TableReference[], schemas: Schemas): Proposal[] {
  const [first = '', second] = path;
  if (second !== undefined) return columnProposals(columnsOf(schemas, first, second), second);
  const reference = references.find(({ alias }) => alias === first);
  const columns =
    reference === undefined
      ? columnsOf(schemas, undefined, first)
      : columnsOf(schemas, reference.schema, reference.table);
  return [...columnProposals(columns, reference?.table ?? first), ...tableProposals(schemas, first)];
}

const isBeforeTables = (token: Token | undefined): boolean =>
  token?.kind === 'word' && BEFORE_TABLES.has(token.text.toUpperCase());

/** Returns whether the word that ends at a position, or the next one, should be the name of a table. */
export function isTablePlace(text: string, position: number): boolean {
  const tokens = tokensOf(text.slice(0, position)).filter(({ kind }) => kind !== 'comment');
  const isTyped = isName(tokens.at(-1)) && tokens.at(-1)?.to === position;
  return isBeforeTables(tokens.at(isTyped ? -2 : -1));
}

/** Returns the completions where no name precedes. */
function proposalsAlone(
  before: Token | undefined,
  references: readonly TableReference[],
  schemas: Schemas,
): Proposal[] {
  const schemaNames = Object.keys(schemas).map((label) => ({ label, kind: 'schema', detail: '' }) as const);
  const tables = [...tableProposals(schemas, DEFAULT_SCHEMA), ...schemaNames];
  if (isBeforeTables(before)) return tables;
  const columns = references.flatMap(({ schema, table }) => columnProposals(columnsOf(schemas, schema, table), table));
  const aliases = references
    .filter(({ alias, table }) => alias !== table)
    .map(({ alias, table }) => ({ label: alias, kind: 'alias', detail: table }) as const);
  const unique = new Map([...columns, ...aliases, ...tables].map((each) => [`${each.kind} ${each.label}`, each]));
  return [...unique.values()];
}

/** Returns the completions at a position of a text, or undefined within strings and comments. */
export function proposalsAt(text: string, position: number, schemas: Schemas): Proposals | undefined {
  const statement = statementAt(statementsOf(text), position);
  const tokens = tokensOf(text.slice(0, position)).filter(({ kind }) => kind !== 'comment');
  const [whole] = tokensOf(text.slice(0, position)).slice(-1);
  const last = tokens.at(-1);
  const touches = whole?.to === position;
  if (touches && (whole?.kind === 'string' || whole?.kind === 'parameter')) return undefined;
  if (whole?.kind === 'comment' && (touches || !text.slice(whole.from, position).includes('\n'))) return undefined;
  const typed = isName(last) && last.to === position ? last : undefined;
  if (typed?.kind === 'word' && /^\d/.test(typed.text)) return undefined;
  let at = tokens.length - (typed === undefined ? 1 : 2);
  const path: string[] = [];
  while (tokens[at]?.text === '.') {
    const owner = tokens[at - 1];
    if (!isName(owner)) return undefined;
    path.unshift(nameOf(owner));
    at -= 2;
  }
  const references = statement === undefined ? [] : tablesIn(statement.sql);
  const proposals =
    path.length > 0 ? proposalsBehind(path, references, schemas) : proposalsAlone(tokens[at], references, schemas);
  return { from: typed?.from ?? position, proposals };
}

/** Returns a name as a statement needs it: in the case of the typed text, and quoted if necessary. */
export function writtenName(name: string, typed: string): string {
  const written = quotedIfNeeded(name);
  if (typed.startsWith('"')) return quoted(name);
  return written !== name || /[A-Z]/.test(typed) ? written : name.toLowerCase();
}
