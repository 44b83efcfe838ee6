/** Creates invalid statements from valid ones by one mistake. Some remain valid. */
import type { Random } from '../simulation/random.ts';
import type { TableModel } from './tables.ts';

export interface Mistake {
  readonly sql: string;
  /** False when the text was truncated or reordered, so that it may have several errors. */
  readonly certain: boolean;
}

export function randomMistake(random: Random, right: string, tables: readonly [TableModel, ...TableModel[]]): Mistake {
  return random.below(6) === 0
    ? { sql: mixedUp(random, right), certain: false }
    : certainly(oneMistake(random, tables));
}

/** An aggregate in WHERE without GROUP BY counts as two mistakes. */
function certainly(sql: string): Mistake {
  return { sql, certain: !sql.includes('WHERE COUNT(*)') };
}

function mixedUp(random: Random, right: string): string {
  const words = right.split(' ');
  const at = random.below(words.length);
  return random.pick<() => string>([
    () => words.toSpliced(at, 1).join(' '),
    () => words.toSpliced(at, 0, random.pick(['AND', ')', '(', ',', 'SELECT', '5', '*', 'FROM'])).join(' '),
    () => words.slice(0, at + 1).join(' '),
  ])();
}

function oneMistake(random: Random, tables: readonly [TableModel, ...TableModel[]]): string {
  const table = random.pick(tables);
  const column = table.columns[random.below(table.columns.length)]?.name ?? 'ID';
  const other = table.columns[random.below(table.columns.length)]?.name ?? 'ID';
  const second = random.pick(tables);
  const foreign = second.columns[random.below(second.columns.length)]?.name ?? 'ID';
  if (random.below(2) === 0) return lenientMistake(random, table.name, second.name, { column, other, foreign });
  return random.pick<() => string>([
    () => `SELECT NO_SUCH_COLUMN FROM ${table.name}`,
    () => `SELECT x.${column} FROM ${table.name}`,
    () => `SELECT * FROM NO_SUCH_TABLE`,
    () => `SELECT NO_SUCH_FUNCTION(${column}) FROM ${table.name}`,
    () => `SELECT ${column}, COUNT(*) FROM ${table.name}`,
    () => `SELECT ABS(${column}, 1) FROM ${table.name}`,
    () => `SELECT ${column} FROM ${table.name} a, ${table.name} b`,
    () => `SELECT ${column} FROM ${table.name} UNION SELECT 1, 2`,
    () => `SELECT 1 / 0 FROM ${table.name}`,
    () => `SELECT CAST('x' AS ${random.pick(['INT', 'BIGINT', 'DECIMAL', 'DATE', 'BOOLEAN', 'UUID', 'DOUBLE'])})`,
    () => `SELECT ID + 'x' FROM ${table.name}`,
    () => `INSERT INTO ${table.name} (ID, NO_SUCH_COLUMN) VALUES (1, 2)`,
    () => `INSERT INTO ${table.name} (ID, ${column}) VALUES (1)`,
    () => `INSERT INTO ${table.name} (ID, C1) VALUES (1, 2, 3)`,
    () => `INSERT INTO ${table.name} (ID) VALUES (1) ON DUPLICATE KEY UPDATE ${column} = NULL`,
    () => `SELECT CAST(${column} AS TIMESTAMPTZ) FROM ${table.name}`,
    () => `SELECT DATE_TRUNC('DOW', TIMESTAMP '2020-01-01 00:00:00')`,
    () => `UPDATE ${table.name} SET ID = 5`,
    () => `UPDATE ${table.name} SET NO_SUCH_COLUMN = 5`,
    () => `DELETE FROM NO_SUCH_TABLE`,
    () => `CREATE TABLE ${table.name} (ID INT PRIMARY KEY, V INT)`,
    () => `DROP TABLE NO_SUCH_TABLE`,
    () => `CREATE INDEX NO_INDEX ON NO_SUCH_TABLE (ID)`,
    () => `CREATE INDEX NO_INDEX ON ${table.name} (NO_SUCH_COLUMN)`,
    () => `DROP INDEX NO_SUCH_INDEX`,
    () => `ALTER TABLE ${table.name} DROP COLUMN ID`,
    () => `ALTER TABLE ${table.name} DROP COLUMN NO_SUCH_COLUMN`,
    () => `ALTER TABLE ${table.name} ADD COLUMN C1 INT`,
    () => `SELECT ${column} FROM ${table.name} ORDER BY 99`,
    () => `SELECT SUM(SUM(ID)) FROM ${table.name}`,
    () => `SELECT ID FROM ${table.name} WHERE COUNT(*) > 1`,
    () => `SELECT ID FROM ${table.name} WHERE ID = (SELECT ID FROM ${table.name})`,
  ])();
}

/** Creates a statement about which SQLite is lenient. Whether it is wrong depends on types, and for groups on rows. */
function lenientMistake(
  random: Random,
  table: string,
  another: string,
  { column, other, foreign }: Readonly<Record<'column' | 'other' | 'foreign', string>>,
): string {
  return random.pick<() => string>([
    () => `SELECT ${column} FROM ${table} GROUP BY ${other}`,
    () => `SELECT ${column}, COUNT(*) FROM ${table} GROUP BY ID / 3`,
    () => `SELECT ${column}, COUNT(*) FROM ${table} GROUP BY ${random.pick(['1', '2', 'NULL', "'x'"])}`,
    () => `SELECT * FROM ${table} GROUP BY ${column}`,
    () => `SELECT ${other} FROM ${table} GROUP BY ${other} ORDER BY ${column}`,
    () => `SELECT ${other}, COUNT(*) FROM ${table} GROUP BY ${other} HAVING ${column} IS NOT NULL`,
    () => `SELECT MAX(ID), ${column} FROM ${table} GROUP BY ${other}`,
    () => `SELECT MIN(${other}), ${column} FROM ${table}`,
    () => `SELECT COUNT(*) FROM ${table} ORDER BY ${column}`,
    () => `SELECT COUNT(*) FROM ${table} HAVING ${column} IS NULL`,
    () => `SELECT a.${column}, COUNT(*) FROM ${table} a JOIN ${another} b ON a.ID = b.ID GROUP BY b.C1`,
    () => `SELECT a.${column}, b.C1, COUNT(*) FROM ${table} a JOIN ${another} b ON a.ID = b.ID GROUP BY b.ID`,
    () => `SELECT ${column} FROM (SELECT ${column}, ${other} AS o FROM ${table}) x GROUP BY o`,
    () => `SELECT ID FROM ${another} WHERE ID IN (SELECT ID FROM ${table} GROUP BY ${column})`,
    () => `SELECT ${column} || 'x', COUNT(*) FROM ${table} GROUP BY ${other}`,
    () => `SELECT DISTINCT ${column} FROM ${table} GROUP BY ${other}`,
    () => `SELECT ${column} FROM ${table} GROUP BY ${other} UNION SELECT ${column} FROM ${table}`,
    () => `SELECT DISTINCT ${column} FROM ${table} ORDER BY ${other}`,
    () => `SELECT ${column} FROM ${table} UNION SELECT ${column} FROM ${another} ORDER BY ${other}`,
    () => `SELECT ${column} FROM ${table} ORDER BY ${random.pick(['0', '-1', '5', '-2', 'NULL', '1.5'])}`,
    () => `SELECT ID AS ${column === 'ID' ? 'C1' : column}, ${column} AS ID FROM ${table} ORDER BY ID, 1, 2`,
    () => `SELECT ID FROM ${table} ORDER BY ID LIMIT ${random.pick(["'x'", '-1', 'NULL', 'ID', '1.5', "'2'"])}`,
    () => `SELECT ID FROM ${table} WHERE ${column}`,
    () => `SELECT ID FROM ${table} WHERE NOT ${column}`,
    () => `SELECT ID FROM ${table} WHERE ${column} = ${random.pick(["'zz'", '5', 'TRUE', "'2020-01-01'", '1.5'])}`,
    () => `SELECT ID FROM ${table} WHERE ${column} > ${random.pick(["'zz'", '5', 'TRUE', "'2020-01-01'", "X'00'"])}`,
    () => `SELECT ID FROM ${table} WHERE ${column} IN (${random.pick(["1, 'x'", "'x'", 'TRUE, 1', "'1', 2.0"])})`,
    () => `SELECT ID FROM ${table} WHERE ${column} BETWEEN 1 AND ${random.pick(["'x'", "'5'", 'TRUE', 'NULL'])}`,
    () => `SELECT ID FROM ${table} WHERE ${column} IN (SELECT ${foreign} FROM ${another})`,
    () => `SELECT ID FROM ${table} WHERE ID IN (SELECT ID, ${column} FROM ${another})`,
    () => `SELECT ID FROM ${table} WHERE ${column} = ${other}`,
    () => `SELECT ${column} + ${random.pick(['1', "'1'", "'x'", 'TRUE', '1.5', other])} FROM ${table}`,
    () => `SELECT ${column} ${random.pick(['*', '/', '%', '-'])} ${random.pick(['2', "'2'", other])} FROM ${table}`,
    () => `SELECT -${column} FROM ${table}`,
    () => `SELECT ${random.pick(['SUM', 'AVG', 'MIN', 'MAX', 'COUNT'])}(${column}) FROM ${table}`,
    () => `SELECT CASE WHEN ${column} THEN 1 ELSE 2 END FROM ${table}`,
    () => `SELECT CASE WHEN ID > 3 THEN ${column} ELSE ${random.pick(['1', "'x'", 'TRUE', other])} END FROM ${table}`,
    () => `SELECT COALESCE(${column}, ${random.pick(['1', "'x'", 'TRUE', other])}) FROM ${table}`,
    () => `SELECT ${column} LIKE ${random.pick(["'%1%'", '5', 'NULL', other])} FROM ${table}`,
    () => `SELECT ID FROM ${table} a JOIN ${another} b ON a.ID = b.ID`,
    () => `SELECT a.ID FROM ${table} a JOIN ${another} b ON a.${column} = b.${random.pick(['ID', 'C1', column])}`,
    () => `SELECT a.ID FROM ${table} a JOIN ${another} b ON a.${column}`,
    () => `SELECT ${random.pick(['rowid', 'oid', '_rowid_', 'k', 'kt', '"id"', '"c1"', 'c0', 'f0'])} FROM ${table}`,
    () => `SELECT ID AS a, a FROM ${table}`,
    () => `SELECT ID AS a FROM ${table} WHERE a > 1`,
    () => `SELECT ID FROM (SELECT ID, ID FROM ${table}) x`,
    () => `SELECT (SELECT ${column} FROM ${table}) FROM ${another}`,
    () => `SELECT ID, (SELECT MAX(b.ID) FROM ${another} b WHERE b.ID = a.${column}) AS m FROM ${table} a`,
    () => `SELECT MAX(${column}) FROM ${table} WHERE MAX(ID) = 1`,
    () =>
      `SELECT ${column} FROM ${table} ${random.pick(['UNION', 'EXCEPT', 'INTERSECT'])} SELECT ${other} FROM ${another}`,
    () => `VALUES (1, 2), (3)`,
    () =>
      `SELECT ID FROM ${table} WHERE (ID, 1) ${random.pick(['=', '<', '>='])} (1, ${random.pick(['NULL', '2', '1, 2'])})`,
    () => `INSERT INTO ${table} (ID, ${column}) VALUES (NULL, NULL)`,
  ])();
}
