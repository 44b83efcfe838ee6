/** What a statement may do, told by its words alone; in doubt more. */
import type { CacheRight } from './permissions.ts';

const READING = new Set(['SELECT', 'VALUES', 'EXPLAIN', 'TABLE', 'SHOW']);
const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const EVERYTHING: readonly CacheRight[] = ['read', 'put', 'remove', 'create', 'destroy'];

/** Texts, quoted names and comments of a statement. */
const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
/** Where readers of SQL differ about the end of a comment: a bare carriage return, a comment inside of a comment. */
const UNCLEAR_COMMENT = /\r(?!\n)|\/\*(?:(?!\*\/)[\s\S])*\/\*/;

/** Words of a statement outside of comments, texts and quoted names, upper case. */
function wordsOf(sql: string): string[] {
  return (
    sql
      .replace(QUOTED_OR_COMMENT, ' ')
      .toUpperCase()
      .match(/[A-Z_][A-Z0-9_$]*/g) ?? []
  );
}

/** Statements on rows that begin with their word: most do, and are told without a look at the rest. */
const BEGINS_ON_ROWS = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|MERGE|WITH|VALUES|EXPLAIN)\s/i;

/** The rights that the statement needs on every cache, since it can reach every table. */
export function rightsOfStatement(sql: string): readonly CacheRight[] {
  if (UNCLEAR_COMMENT.test(sql)) return EVERYTHING;
  const words = wordsOf(sql);
  const [first = '', second = ''] = words;
  // Whoever may manage users is asked by the user desk.
  if (second === 'USER' && (first === 'CREATE' || first === 'ALTER' || first === 'DROP')) return [];
  const writes = words.some((word) => WRITING.has(word));
  const runsWhatFollows = first === 'WITH' || (first === 'EXPLAIN' && second === 'ANALYZE');
  if (WRITING.has(first) || (runsWhatFollows && writes)) return ['read', 'put', 'remove'];
  return first === '' || runsWhatFollows || READING.has(first) ? ['read'] : EVERYTHING;
}

/**
 * What the audit says of a statement that administers: its kind and the name it is about, never a text of it, which
 * may be a password. Undefined for statements on rows.
 */
export function administrationOf(sql: string): string | undefined {
  if (BEGINS_ON_ROWS.test(sql)) return undefined;
  const [first = '', second = ''] = wordsOf(sql);
  if (first === '' || first === 'WITH' || READING.has(first) || WRITING.has(first)) return undefined;
  return `${first} ${second}`.trim();
}
