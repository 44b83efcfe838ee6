/** Runs a random history of tables, queries, changes and invalid statements, determined by a seed, on all targets. */
import { Random } from '../simulation/random.ts';
import { type Difference, type DifferenceKind, differenceBetween, rowsText } from './difference.ts';
import { evaluateQuery } from './evaluator.ts';
import { explain } from './explain.ts';
import type { KnownDifference } from './known-difference.ts';
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
import { type Outcome, type Target, TEXT_OF_SQLITE } from './targets.ts';

/** A difference that occurred in a history. */
export interface FoundDifference extends Difference {
  readonly seed: number;
  /** Number of the statement in the history of the seed. */
  readonly number: number;
}

export interface ExplainedDifference extends FoundDifference {
  readonly known: readonly KnownDifference[];
}

export interface HistoryReport {
  readonly statements: number;
  /** Number of queries that the evaluator could check. */
  readonly evaluated: number;
  readonly rejected: number;
  readonly differences: readonly FoundDifference[];
  /** The differences that known differences explain. */
  readonly explained: readonly ExplainedDifference[];
}

export async function runHistory(
  seed: number,
  statements: number,
  ours: Target,
  ignite: Target | undefined,
): Promise<HistoryReport> {
  const history = new History(seed, ours, ignite);
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
  readonly differences: FoundDifference[] = [];
  readonly explained: ExplainedDifference[] = [];
  readonly #seed: number;
  /** Prefix of the table names. Unique, because histories run concurrently and nodes remember dropped names. */
  readonly #prefix: string;
  readonly #random: Random;
  readonly #ours: Target;
  readonly #ignite: Target | undefined;
  readonly #tables: readonly [TableModel, ...TableModel[]];
  readonly #queries: QueryMaker;

  constructor(seed: number, ours: Target, ignite: Target | undefined) {
    this.#seed = seed;
    this.#prefix = `HV_${seed}_${process.pid.toString(36).toUpperCase()}`;
    this.#random = new Random(seed);
    this.#ours = ours;
    this.#ignite = ignite;
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
    else if (choice < 12) await this.#mistake();
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
    if (!agreed) for (const sql of restoreTexts(table)) await this.#restore(sql);
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
    else await this.#differsFromEvaluator(change.text, 'change', expected, got);
    return this.differences.length === length && this.explained.length === explained;
  }

  /** Runs a statement that makes the rows of the targets equal again; its results may differ. */
  async #restore(sql: string): Promise<void> {
    await this.#ours.run(sql);
    if (this.#ignite !== undefined) await this.#ignite.run(sql);
  }

  /** Compares all rows of a table with the model. */
  async #wholeTable(table: TableModel): Promise<void> {
    const sql = `SELECT ${table.columns.map((column) => column.name).join(', ')} FROM ${table.name}`;
    const answered = await this.#everywhere(sql);
    const kinds = table.columns.map((column) => column.kind);
    await this.#compareRows(
      sql,
      answered,
      table.rows.map((row) => row.map(keyOf)),
      kinds,
      false,
    );
  }

  async #mistake(): Promise<void> {
    const right = this.#queries.create().text.replaceAll(/\?<[^>]*>/g, '5');
    const { sql, certain } = randomMistake(this.#random, right, this.#tables);
    // A mistake may result in a valid change, after which the tables would no longer match the model.
    if (/^(UPDATE|DELETE|INSERT|MERGE)/.test(sql) && !/NO_SUCH|SET ID|VALUES \((1\)|NULL)|ON DUPLICATE|2, 3/.test(sql))
      return;
    const answered = await this.#everywhere(sql, / ORDER BY ID, 1, 2$/.test(sql), certain);
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
    await this.#compareRows(query.text, answered, expected, query.kinds, query.ordered);
  }

  async #compareRows(
    sql: string,
    answered: Outcome,
    expected: readonly (readonly string[])[],
    kinds: readonly Kind[],
    ordered: boolean,
  ): Promise<void> {
    if (answered.kind === 'rejected') {
      await this.#differsFromEvaluator(sql, 'evaluator', `${expected.length} rows`, answered.text);
      return;
    }
    const got = answered.rows.map((row) => row.map((value, at) => normalValue(value, kinds[at])));
    const [evaluated, returned] = [rowsText(expected, ordered), rowsText(got, ordered)];
    if (evaluated !== returned) await this.#differsFromEvaluator(sql, 'evaluator', evaluated, returned);
  }

  /**
   * Runs the statement on all targets, compares the results and returns ours. `certain` is false when the statement has
   * several errors, of which each engine reports the one it finds first, or a limit without an order.
   */
  async #everywhere(sql: string, ordered = false, certain = true): Promise<Outcome> {
    this.statements++;
    const svc = await this.#ours.run(sql);
    if (svc.kind === 'rejected' && svc.text.startsWith(TEXT_OF_SQLITE))
      this.#found({ sql, what: 'text of SQLite', answers: { svc: svc.text }, outcomes: undefined });
    if (this.#ignite === undefined) return svc;
    const difference = differenceBetween(sql, { svc, ignite: await this.#ignite.run(sql), ordered });
    if (difference === undefined || (!certain && isOpen(difference))) return svc;
    await this.#differs(difference);
    return svc;
  }

  #differsFromEvaluator(sql: string, what: DifferenceKind, evaluator: string, svc: string): Promise<void> {
    return this.#differs({ sql, what, answers: { evaluator, svc }, outcomes: undefined });
  }

  async #differs(difference: Difference): Promise<void> {
    const known = await explain(difference, { svc: this.#ours, ignite: this.#ignite });
    this.#found(difference, known);
  }

  #found(difference: Difference, known?: readonly KnownDifference[]): void {
    const found = { ...difference, seed: this.#seed, number: this.statements };
    if (known === undefined) this.differences.push(found);
    else this.explained.push({ ...found, known });
  }
}

/** Returns whether truncating or reordering a text has made its correct answer unclear: its error, or its rows. */
function isOpen({ sql, what, outcomes }: Difference): boolean {
  if (what !== 'rows' || outcomes?.svc.kind !== 'rows' || outcomes.ignite.kind !== 'rows') return what === 'error text';
  return / (LIMIT|OFFSET|FETCH) /.test(sql) && outcomes.svc.rows.length === outcomes.ignite.rows.length;
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
