/** Statements that fail with the same codes on every engine. */

interface StatementFailure {
  readonly title: string;
  readonly qry: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly code: string;
  /** The status with `httpStatus=true`. */
  readonly http: number;
  /** The position in the error object, if the engine knows it. */
  readonly subject?: object;
}

/** The table of these statements. */
export const FAILING_TABLE = 'CREATE TABLE T(id INT PRIMARY KEY, name VARCHAR)';

export const STATEMENT_FAILURES: readonly StatementFailure[] = [
  { title: 'of syntax', qry: 'SELECT * FORM T', code: 'SQL', http: 400, subject: { position: 10 } },
  {
    title: 'of a missing table',
    qry: 'SELECT *\nFROM Nothing',
    code: 'SQL_OBJECT_NOT_FOUND',
    http: 404,
    subject: { position: 15 },
  },
  {
    title: 'of a missing column',
    qry: 'SELECT id, nam FROM T',
    code: 'SQL_OBJECT_NOT_FOUND',
    http: 404,
    subject: { position: 12 },
  },
  { title: 'of a definition', qry: 'CREATE TABLE T(id INT PRIMARY KEY, a INT)', code: 'SQL_CONFLICT', http: 409 },
  { title: 'of a missing table to drop', qry: 'DROP TABLE Nothing', code: 'SQL_OBJECT_NOT_FOUND', http: 404 },
  {
    title: 'of a missing column to drop',
    qry: 'ALTER TABLE T DROP COLUMN nothing',
    code: 'SQL_OBJECT_NOT_FOUND',
    http: 404,
  },
  { title: 'of an index that is missing', qry: 'DROP INDEX nothing', code: 'SQL_OBJECT_NOT_FOUND', http: 404 },
  {
    title: 'of a column that exists',
    qry: 'ALTER TABLE T ADD COLUMN name VARCHAR',
    code: 'SQL_CONFLICT',
    http: 409,
  },
  {
    title: 'of a key that is stored twice',
    qry: "INSERT INTO T VALUES (1, 'a'), (1, 'b')",
    code: 'SQL_CONFLICT',
    http: 409,
  },
  {
    title: 'of a value with the words of another error',
    qry: "SELECT CAST('not found' AS INT) FROM T UNION ALL SELECT CAST('already exists' AS INT)",
    code: 'SQL',
    http: 400,
    subject: { position: 13 },
  },
  {
    title: 'of an argument',
    qry: 'SELECT 1 FROM T WHERE id = ?',
    more: { arg1: 'x' },
    code: 'SQL',
    http: 400,
    subject: { parameter: 'arg1' },
  },
];
