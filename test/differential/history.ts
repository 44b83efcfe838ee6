/** Runs a random history of tables, queries, changes and invalid statements, determined by a seed, on all targets. */
import { Random } from '../simulation/random.ts';
import type { Difference } from './difference.ts';
import { evaluateQuery } from './evaluator.ts';
import { withArguments } from './expressions.ts';
import { type KnownDifference, knownDifference } from './known-differences.ts';
import { randomMistake } from './mistakes.ts';
import { type Query, QueryMaker } from './queries.ts';
import { type Kind, keyOf, Unknown } from './result-value.ts';
import {
  type Change,
  createTableText,
  randomDelete,
  randomInsert,
  randomMerge,
  randomTable,
  randomUpdate,
  restoreTexts,
  type TableModel,
} from './tables.ts';
import type { Outcome, Target } from './targets.ts';

export interface ExplainedDifference extends Difference {
  readonly known: KnownDifference;
}

export interface HistoryReport {
  readonly statements: number;
  /** Number of queries that the evaluator could check. */
  readonly evaluated: number;
  readonly rejected: number;
  readonly differences: readonly Difference[];
  /** The differences that a known difference explains. */
  readonly explained: readonly ExplainedDifference[];
}

export async function runHistory(
  seed: number,
  statements: number,
  ours: Target,
  reference: Target | undefined,
): Promise<HistoryReport> {
  const history = new History(seed, ours, reference);
  await history.begin();
  try {
    for (let number = 0; number < statements; number++) await history.step();
  } finally {
    await history.end();
  }
  return history;
}

class History implements HistoryReport {
  statements = 0;
  evaluated = 0;
  rejected = 0;
  readonly differences: Difference[] = [];
  readonly explained: ExplainedDifference[] = [];
  readonly #seed: number;
  /** Prefix of the table names. Unique, because histories run concurrently and nodes remember dropped names. */
  readonly #prefix: string;
  readonly #random: Random;
  readonly #ours: Target;
  readonly #reference: Target | undefined;
  readonly #tables: readonly [TableModel, ...TableModel[]];
  readonly #queries: QueryMaker;

  constructor(seed: number, ours: Target, reference: Target | undefined) {
    this.#seed = seed;
    this.#prefix = `HV_${seed}_${process.pid.toString(36).toUpperCase()}`;
    this.#random = new Random(seed);
    this.#ours = ours;
    this.#reference = reference;
    const table = (name: string, indexed: boolean): TableModel =>
      randomTable(this.#random, `${this.#prefix}_${name}`, indexed);
    this.#tables = [table('A', true), table('B', false), table('C', false)];
    this.#queries = new QueryMaker(this.#random, this.#tables);
  }

  async begin(): Promise<void> {
    for (const table of this.#tables) {
      await this.#everywhere(`DROP TABLE IF EXISTS ${table.name}`);
      await this.#everywhere(createTableText(table));
      await this.#change(randomInsert(this.#random, table, 1 + this.#random.below(12)));
    }
    for (const { name, columns } of this.#tables.filter((table) => table.indexed)) {
      await this.#everywhere(`CREATE INDEX ${this.#prefix}_IX ON ${name} (${columns[1]?.name ?? 'ID'})`);
    }
  }

  async end(): Promise<void> {
    for (const table of this.#tables) await this.#everywhere(`DROP TABLE IF EXISTS ${table.name}`);
  }

  async step(): Promise<void> {
    const random = this.#random;
    const choice = random.below(20);
    if (choice < 3) await this.#randomChange();
    else if (choice < 5) await this.#mistake();
    else await this.#query(this.#queries.create());
  }

  async #randomChange(): Promise<void> {
    const random = this.#random;
    const table = random.pick(this.#tables);
    const change = tried(() =>
      random.pick<() => Change | undefined>([
        () => (table.rows.length < 25 ? randomInsert(random, table, 1 + random.below(3)) : undefined),
        () => randomMerge(random, table),
        () => randomUpdate(random, table),
        () => randomUpdate(random, table),
        () => (table.rows.length > 8 ? randomDelete(random, table) : undefined),
      ])(),
    );
    if (change === undefined) return;
    const agreed = await this.#change(change);
    if (!agreed) for (const sql of restoreTexts(table)) await this.#everywhere(sql);
    await this.#wholeTable(table);
  }

  /** Runs a change. Returns false when the targets may have different rows afterwards. */
  async #change(change: Change): Promise<boolean> {
    const { length } = this.differences;
    const explained = this.explained.length;
    const answered = await this.#everywhere(change.text);
    const expected = `[["${change.updated}"]]`;
    const got = answered.kind === 'rows' ? JSON.stringify(answered.rows) : answered.text;
    if (got === expected) change.apply();
    else this.#differs(change.text, 'change', { evaluator: expected, [this.#ours.name]: got });
    return this.differences.length === length && this.explained.length === explained;
  }

  /** Compares all rows of a table with the model. */
  async #wholeTable(table: TableModel): Promise<void> {
    const sql = `SELECT ${table.columns.map((column) => column.name).join(', ')} FROM ${table.name}`;
    const answered = await this.#everywhere(sql);
    const kinds = table.columns.map((column) => column.kind);
    this.#compareRows(
      sql,
      answered,
      table.rows.map((row) => row.map(keyOf)),
      kinds,
      false,
    );
  }

  async #mistake(): Promise<void> {
    const right = this.#queries.create().text.replaceAll(/\?\u0001[^\u0002]*\u0002/g, '5');
    const { sql, certain } = randomMistake(this.#random, right, this.#tables);
    // A mistake may result in a valid change, after which the tables would no longer match the model.
    if (/^(UPDATE|DELETE|INSERT|MERGE)/.test(sql) && !/NO_SUCH|SET ID|VALUES \(1\)|ON DUPLICATE|2, 3/.test(sql)) return;
    const answered = await this.#everywhere(sql, false, certain);
    if (answered.kind === 'rejected') this.rejected++;
  }

  async #query(query: Query): Promise<void> {
    const answered = await this.#everywhere(query.text, query.ordered);
    if (!query.evaluable) return;
    let expected: readonly (readonly string[])[];
    try {
      expected = evaluateQuery(query).map((row) => row.map(keyOf));
    } catch (error) {
      if (error instanceof Unknown) return;
      throw error;
    }
    this.evaluated++;
    this.#compareRows(query.text, answered, expected, query.kinds, query.ordered);
  }

  #compareRows(
    sql: string,
    answered: Outcome,
    expected: readonly (readonly string[])[],
    kinds: readonly Kind[],
    ordered: boolean,
  ): void {
    if (answered.kind === 'rejected') {
      this.#differs(sql, 'evaluator', { evaluator: `${expected.length} rows`, [this.#ours.name]: answered.text });
      return;
    }
    const got = answered.rows.map((row) => row.map((value, at) => normalValue(value, kinds[at])));
    if (rowsText(got, ordered) === rowsText(expected, ordered)) return;
    this.#differs(sql, 'evaluator', {
      evaluator: rowsText(expected, ordered),
      [this.#ours.name]: rowsText(got, ordered),
    });
  }

  /**
   * Runs the statement on all targets, compares the results and returns ours. `certain` is false when the statement has
   * several errors, of which each engine reports the one it finds first.
   */
  async #everywhere(text: string, ordered = false, certain = true): Promise<Outcome> {
    this.statements++;
    const { sql, args } = withArguments(text);
    const ours = await this.#ours.run(sql, args);
    if (this.#reference === undefined) return ours;
    const theirs = await this.#reference.run(sql, args);
    const what = differenceOf(ours, theirs, ordered);
    if (what !== undefined && (certain || what !== 'error text')) {
      this.#differs(text, what, {
        [this.#ours.name]: outcomeText(ours, ordered),
        [this.#reference.name]: outcomeText(theirs, ordered),
      });
    }
    return ours;
  }

  #differs(sql: string, what: string, said: Readonly<Record<string, string>>): void {
    const shown = sql.replaceAll(/\u0001([^\u0002]*)\u0002/g, '<$1>');
    const difference = { seed: this.#seed, number: this.statements, sql: shown, what, said };
    const known = knownDifference(difference);
    if (known === undefined) this.differences.push(difference);
    else this.explained.push({ ...difference, known });
  }
}

function tried<T>(attempt: () => T | undefined): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

/** Returns a value in a canonical form: decimals without trailing zeros, doubles in their shortest form. */
function normalValue(value: string, kind: Kind | undefined): string {
  if (kind === 'DOUBLE' && value !== 'null') return `${Number(value) + 0}`;
  if (kind !== 'DECIMAL' || value === 'null') return value;
  const [whole = '', fraction = ''] = plainNumber(value).split('.');
  return keyOf({ unscaled: BigInt(whole + fraction), scale: fraction.length });
}

/** Returns a number without an exponent. */
function plainNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function rowsText(rows: readonly (readonly string[])[], ordered: boolean): string {
  const lines = rows.map((row) => `[${row.join(',')}]`);
  return (ordered ? lines : lines.toSorted()).join(' ');
}

function outcomeText(outcome: Outcome, ordered: boolean): string {
  if (outcome.kind === 'rejected') return outcome.text;
  return `${outcome.types.map((type) => type.split('.').at(-1)).join(',')}: ${rowsText(outcome.rows, ordered)}`;
}

function differenceOf(ours: Outcome, theirs: Outcome, ordered: boolean): string | undefined {
  if (ours.kind === 'rejected') {
    if (theirs.kind !== 'rejected') return 'only svc rejects';
    return errorTextOf(ours.text) === errorTextOf(theirs.text) ? undefined : 'error text';
  }
  if (theirs.kind === 'rejected') return 'only Ignite rejects';
  if (rowsText(ours.rows, ordered) !== rowsText(theirs.rows, ordered)) return 'rows';
  return ours.types.join() === theirs.types.join() ? undefined : 'types';
}

/** Codes of conversion and overflow errors. */
const DATA_CODES: ReadonlySet<string> = new Set(['22003', '22004', '22007', '22012', '22018']);

/** Returns the sentence of an error, without the statement and the envelope around it. */
function errorTextOf(text: string): string {
  const [, inner = text] = /errMsg=([\s\S]*)\]$/.exec(text) ?? [];
  const [, code = ''] = /\[(\d{5})-197\]/.exec(inner) ?? [];
  // The plan determines which invalid value is found first.
  if (DATA_CODES.has(code)) return 'data';
  const sentence = inner.replace(/;? SQL statement:[\s\S]*$/, '').replace(/ \[\d{5}-197\]$/, '');
  // Long statements are shortened around the error.
  const [near] = /.{0,40}\[\*\]/s.exec(sentence) ?? [];
  if (near !== undefined) return `Syntax error near ${near} ${code}`;
  // The list of expected words depends on the parser's implementation.
  const plain = sentence.replace(/; expected "[\s\S]*$/, '').replace(/"__Z\d+\./, '"');
  return `${plain} ${code}`.trim();
}
