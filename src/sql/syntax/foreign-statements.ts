/** Statements and clauses of other databases, and their replacements here. */
import { SqlFailure } from '../../base/sql-failure.ts';
import { Scanner } from './tokenizer.ts';

/** Maximum number of tokens compared of a statement. */
const COMPARED_TOKENS = 1_000;
/** No SQL keyword is longer. */
const WORD_CHARACTERS = 30;

/** The replacement for a form: here, and in front of Ignite's nodes if different. */
type Replacement = string | { readonly here: string; readonly onNodes: string };

const ATOMIC = 'Send the statements as one transaction with the command batch and atomic=true.';
const INSERT_MISSING = 'INSERT INTO t (...) SELECT ... WHERE NOT EXISTS (SELECT 1 FROM t WHERE key = ...)';
const UPSERT: Replacement = {
  here:
    'Use MERGE INTO t USING (SELECT ... AS key, ...) s ON t.key = s.key WHEN MATCHED THEN UPDATE SET ... WHEN NOT ' +
    'MATCHED THEN INSERT (...) VALUES (...). MERGE INTO t (...) VALUES (...) replaces the row, and the columns that it ' +
    'does not name.',
  onNodes:
    `UPDATE the row, and if none was changed, use ${INSERT_MISSING}. MERGE INTO t (...) VALUES (...) replaces the row, ` +
    'and the columns that it does not name.',
};

/** By the words of the statement, separated by single blanks, without strings, numbers and quoted names. */
const FORMS: ReadonlyArray<readonly [form: RegExp, replacement: Replacement]> = [
  [/^INSERT .*\bON CONFLICT\b.*\bDO UPDATE\b|^INSERT .*\bON DUPLICATE KEY\b|^UPSERT\b/, UPSERT],
  [/^INSERT OR REPLACE\b/, 'MERGE INTO t (...) VALUES (...) replaces the row with the key.'],
  [/^INSERT .*\bON CONFLICT\b|^INSERT (?:OR )?IGNORE\b/, `To keep a row that exists, use ${INSERT_MISSING}.`],
  [
    /^(?:INSERT|UPDATE|DELETE|MERGE|REPLACE)\b.* RETURNING\b/,
    'A change returns the number of its rows. Select them in the same batch, with atomic=true.',
  ],
  [/^TRUNCATE\b/, 'Use DELETE FROM t, or the command clear with the cache of the table.'],
  [/^SELECT FIRST |\bROWNUM\b/, 'LIMIT 10 returns the first ten rows.'],
  [/\bLIMIT (?:\? )?(?:PERCENT|WITH TIES)\b|^SELECT TOP (?:\? )?PERCENT\b/, 'LIMIT takes a number of rows.'],
  [/^SELECT .* FOR UPDATE\b|^LOCK\b/, ATOMIC],
  [/^(?:BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/, ATOMIC],
  [/^CREATE (?:(?:GLOBAL|LOCAL) )?TEMP(?:ORARY)? TABLE\b/, 'Create a table, and drop it at the end.'],
  [/^CREATE TABLE .* AS (?:SELECT|WITH|\()/, 'Create the table, then fill it with INSERT INTO t SELECT ...'],
  [/^CREATE UNIQUE INDEX\b/, 'Only primary keys are unique. CREATE INDEX finds rows by other columns.'],
  [/^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|TRIGGER)\b|^CALL\b/, 'Tasks run code in the service.'],
  [/^CREATE SEQUENCE\b/, 'The command incr returns unique numbers.'],
  [/^(?:CREATE DATABASE|USE)\b/, 'A service has one database: name the table alone.'],
  [
    /^ALTER TABLE .*\b(?:RENAME|CONSTRAINT|ALTER|MODIFY|CHANGE)\b/,
    'ALTER TABLE adds and drops columns. For other changes, create a table and fill it with INSERT INTO t SELECT ...',
  ],
  [/^(?:COPY|LOAD DATA)\b/, 'The commands import and export copy files, as do svc import and svc export.'],
  [/^(?:GRANT|REVOKE)\b/, 'The commands roleadd and roleassign give rights.'],
  [/^(?:VACUUM|OPTIMIZE|REINDEX)\b/, 'Nothing is to be done: free space is used again.'],
  [/^PRAGMA TABLE_INFO\b/, 'Use SELECT * FROM SYS.TABLE_COLUMNS.'],
];

/**
 * Returns a sentence with the replacement for a rejected statement, or undefined if no other database has
 * it in this form.
 */
export function foreignForm(sql: string, runs: keyof Exclude<Replacement, string>): string | undefined {
  const words: string[] = [];
  try {
    const scanner = new Scanner(sql);
    while (scanner.next() !== 'end' && words.length < COMPARED_TOKENS) {
      const { kind, start, end } = scanner;
      words.push(kind === 'word' || kind === 'symbol' ? sql.slice(start, Math.min(end, start + WORD_CHARACTERS)) : '?');
    }
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
  }
  const text = words.join(' ').toUpperCase();
  const replacement = FORMS.find(([form]) => form.test(text))?.[1];
  return typeof replacement === 'object' ? replacement[runs] : replacement;
}
