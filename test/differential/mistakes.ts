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
