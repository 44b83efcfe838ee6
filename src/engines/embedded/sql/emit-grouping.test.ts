/** Groupings by the extension against those by SQLite, over the same rows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { pick, randomText, seededRandom } from '../../../values/random-values.ts';
import { GUARD_ENTRY, type GuardLibrary, openGuardLibrary } from '../native/guard-library.ts';
import { SqlStore } from './sql-store.fixture.ts';
import type { PreparedQuery } from './statement.ts';

const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const SEED = Number(process.env.SVC_SEED ?? Date.now() % 1_000_000);
const ROWS = 600;
const FAILURE = 'statement_guard_group: not groupable';
const store = new SqlStore();
let library: GuardLibrary;

beforeAll(async () => {
  library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  if (library.path !== undefined) store.database.loadExtension(library.path, GUARD_ENTRY);
  store.run(
    'CREATE TABLE T(id INT PRIMARY KEY, n SMALLINT, big BIGINT, flag BOOLEAN, born DATE, name VARCHAR, amount INT, x DOUBLE)',
  );
  store.run('CREATE TABLE Names(id INT PRIMARY KEY, title VARCHAR)');
  const random = seededRandom(SEED);
  const orNull = (text: string): string => (random.below(6) === 0 ? 'NULL' : text);
  for (let id = 0; id < ROWS; id++) {
    const text = randomText(random, 3).replaceAll('\0', '').toWellFormed().replaceAll("'", "''");
    const values = [
      String(id),
      orNull(String(random.below(5) - 2)),
      orNull(pick(random, ['9223372036854775807', '-9223372036854775808', '0', '9007199254740993'])),
      orNull(pick(random, ['TRUE', 'FALSE'])),
      orNull(`DATE '20${10 + random.below(3)}-01-0${1 + random.below(3)}'`),
      orNull(`'${text}'`),
      orNull(pick(random, ['2147483647', '-2147483648', '7', '-7', '0'])),
      String(random.below(3)),
    ];
    store.run(`INSERT INTO T(id, n, big, flag, born, name, amount, x) VALUES(${values.join(', ')})`);
  }
  for (let id = 0; id < 5; id++) store.run(`INSERT INTO Names(id, title) VALUES(${id}, 'title ${id % 2}')`);
});

afterAll(() => {
  store.database.close(true);
  library.release();
});

function prepareQuery(text: string): PreparedQuery {
  const prepared = store.prepare(text);
  if (prepared.kind !== 'query') throw new Error(`${text} is not a query`);
  return prepared;
}

/** Returns the rows of a statement that the extension groups. */
function grouped(text: string): string {
  const prepared = prepareQuery(text);
  if (prepared.groupedSql === undefined) throw new Error(`${text} is not grouped by the extension`);
  return store.execute({ ...prepared, sql: prepared.groupedSql }).rows;
}

const GROUPED: readonly string[] = [
  'SELECT n, COUNT(*), SUM(amount), AVG(amount), MIN(amount), MAX(amount), COUNT(amount) FROM T GROUP BY n',
  'SELECT big, MIN(big), MAX(big), COUNT(big) FROM T GROUP BY big',
  'SELECT COUNT(*), flag, flag, name FROM T GROUP BY name, flag',
  'SELECT COUNT(x), COUNT(name), born FROM T GROUP BY born ORDER BY 1 DESC, 3',
  'SELECT n, SUM(amount) FROM T GROUP BY n ORDER BY n DESC NULLS LAST LIMIT 3 OFFSET 1',
  'SELECT n FROM T GROUP BY n, flag, born',
  'SELECT n, COUNT(*) FROM T WHERE id < 0 GROUP BY n',
  'SELECT n, AVG(amount), SUM(amount) FROM T WHERE amount IS NULL GROUP BY n',
  'SELECT k.title, COUNT(*), SUM(t.amount) FROM T t JOIN Names k ON k.id = t.n GROUP BY k.title ORDER BY 2',
  'SELECT k.title, COUNT(*), SUM(t.amount) FROM T t LEFT JOIN Names k ON k.id = t.n GROUP BY k.title',
  'SELECT n, COUNT(*) FROM T WHERE id IN (SELECT id FROM T WHERE flag = TRUE) GROUP BY n',
];

for (const text of GROUPED) {
  test.if(LINUX)(`${text}: the same rows (seed ${SEED})`, () => {
    expect(grouped(text)).toBe(store.run(text).rows);
  });
}

test.if(LINUX)(`random groupings return the same rows (seed ${SEED})`, () => {
  const random = seededRandom(SEED + 1);
  const results = ['COUNT(*)', 'COUNT(name)', 'COUNT(x)', 'SUM(n)', 'SUM(amount)', 'AVG(amount)', 'AVG(n)', 'MIN(big)'];
  const further = ['MAX(big)', 'MIN(amount)', 'MAX(n)', 'MIN(id)'];
  for (let round = 0; round < 200; round++) {
    const keys = ['n', 'big', 'flag', 'born', 'name'].filter(() => random.below(2) === 0);
    if (keys.length === 0) keys.push('n');
    const items = [...keys, ...results, ...further].filter(() => random.below(2) === 0);
    if (items.length === 0) items.push('COUNT(*)');
    // Rows that are equal in all columns of the order may be in any order.
    const positions = items.map((_, at) => `${at + 1}${pick(random, ['', ' DESC'])}`);
    const order = random.below(2) === 0 ? '' : ` ORDER BY ${positions.reverse().join(', ')}`;
    const where = random.below(2) === 0 ? '' : ` WHERE id % ${1 + random.below(7)} = 0`;
    const text = `SELECT ${items.join(', ')} FROM T${where} GROUP BY ${keys.join(', ')}${order}`;
    expect({ text, rows: grouped(text) }).toEqual({ text, rows: store.run(text).rows });
  }
});

const BY_SQLITE: readonly string[] = [
  'SELECT COUNT(*), SUM(amount) FROM T',
  'SELECT n, SUM(big) FROM T GROUP BY n',
  'SELECT n, SUM(x) FROM T GROUP BY n',
  'SELECT x, COUNT(*) FROM T GROUP BY x',
  'SELECT n, MIN(name) FROM T GROUP BY n',
  'SELECT n, COUNT(DISTINCT name) FROM T GROUP BY n',
  'SELECT n, COUNT(*) FROM T GROUP BY n HAVING COUNT(*) > 1',
  'SELECT DISTINCT n, COUNT(*) FROM T GROUP BY n',
  'SELECT n + 1, COUNT(*) FROM T GROUP BY n + 1',
  'SELECT n, SUM(amount + 1) FROM T GROUP BY n',
  'SELECT n, COUNT(*) FROM T GROUP BY n ORDER BY n + 1',
  'SELECT n, COUNT(*) FROM T GROUP BY n UNION ALL SELECT 1, 2',
  'SELECT n, SUM(amount) FILTER (WHERE flag = TRUE) FROM T GROUP BY n',
];

test.each(BY_SQLITE)('%s is grouped by SQLite', (text) => {
  expect(prepareQuery(text).groupedSql).toBeUndefined();
});

const FAILING: ReadonlyArray<readonly [title: string, values: string]> = [
  ['a key with the character 0', `SELECT 1, CHAR(0) || 'a'`],
  ['a key that is not valid Unicode', 'SELECT 1, CHAR(55296)'],
  ['a key beyond 256 KiB', `SELECT 1, REPEAT('a', 300000)`],
  ['more than 4,096 groups', `SELECT x, 'name ' || x FROM SYSTEM_RANGE(1, 4097)`],
];

for (const [title, values] of FAILING) {
  test.if(LINUX)(`${title}: the extension gives up`, () => {
    store.run('CREATE TABLE Failing(id INT PRIMARY KEY, name VARCHAR)');
    try {
      store.run(`INSERT INTO Failing(id, name) ${values}`);
      expect(() => grouped('SELECT name, COUNT(*) FROM Failing GROUP BY name')).toThrow(FAILURE);
    } finally {
      store.run('DROP TABLE Failing');
    }
  });
}
