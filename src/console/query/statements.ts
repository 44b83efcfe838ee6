/** The statements of the editor's text. */
import { type Token, tokensOf } from './tokens.ts';

/** A statement and its position in the text, without the semicolon and surrounding space. */
export interface StatementLocation {
  readonly from: number;
  readonly to: number;
  readonly sql: string;
}

/** Returns the statements of a text, separated by semicolons. Text with only comments is not a statement. */
export function statementsOf(text: string): StatementLocation[] {
  const statements: StatementLocation[] = [];
  let tokens: Token[] = [];
  const end = (): void => {
    const [first] = tokens;
    const last = tokens.at(-1);
    if (first !== undefined && last !== undefined && tokens.some(({ kind }) => kind !== 'comment'))
      statements.push({ from: first.from, to: last.to, sql: text.slice(first.from, last.to) });
    tokens = [];
  };
  for (const token of tokensOf(text)) {
    if (token.kind === 'mark' && token.text === ';') end();
    else tokens.push(token);
  }
  end();
  return statements;
}

/** Returns the statement at a position: the one around it, else the one that ends before it, else the first. */
export function statementAt(statements: readonly StatementLocation[], position: number): StatementLocation | undefined {
  return statements.findLast(({ from }) => from <= position) ?? statements[0];
}

/** Returns what to run: the selected statements, or the one at the cursor. */
export function chosenStatements(text: string, from: number, to: number): StatementLocation[] {
  if (from !== to) {
    const selected = statementsOf(text.slice(from, to));
    return selected.map((each) => ({ ...each, from: each.from + from, to: each.to + from }));
  }
  const found = statementAt(statementsOf(text), from);
  return found === undefined ? [] : [found];
}

/** Several titles fit next to each other. */
const TITLE_CHARACTERS = 36;

/** Returns a short text by which a statement is recognized. */
export function titleOfStatement(sql: string): string {
  const words = tokensOf(sql).flatMap(({ kind, from, to }) => (kind === 'comment' ? [] : [[from, to] as const]));
  const text = sql.slice(words[0]?.[0] ?? 0).replace(/\s+/g, ' ');
  return text.length > TITLE_CHARACTERS ? `${text.slice(0, TITLE_CHARACTERS - 1)}…` : text;
}

/** Returns the statement that an EXPLAIN explains, and whether it measures it, or undefined for other statements. */
export function explainedIn({ from, to, sql }: StatementLocation) {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== 'comment');
  const words = tokens.map(({ text }) => text.toUpperCase());
  if (words[0] !== 'EXPLAIN') return undefined;
  const isMeasured = words[1] === 'ANALYZE';
  const at = isMeasured ? 2 : words[1] === 'PLAN' && words[2] === 'FOR' ? 3 : 1;
  const start = tokens[at]?.from;
  if (start === undefined) return undefined;
  const place: StatementLocation = { from: from + start, to, sql: sql.slice(start) };
  return { place, mode: isMeasured ? 'measure' : 'explain' } as const;
}

const READS: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'SHOW', 'EXPLAIN', 'TABLE']);
const DEFINES: ReadonlySet<string> = new Set(['CREATE', 'ALTER', 'DROP']);

/** Returns whether a statement reads, changes rows, or changes definitions, by its first word. */
export function kindOfStatement(sql: string): 'read' | 'change' | 'definition' {
  const first = tokensOf(sql).find(({ kind, text }) => kind !== 'comment' && text !== '(');
  const word = first?.text.toUpperCase() ?? '';
  return READS.has(word) ? 'read' : DEFINES.has(word) ? 'definition' : 'change';
}
