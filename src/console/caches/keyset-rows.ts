/** The rows of a table, read in pages that start at adjacent rows. No cursor stays open. */
import { parseAsSent } from '../../client/exact-json.ts';
import { send } from '../requests/request.ts';
import { PagedRows } from '../rows/paged-rows.ts';
import { parametersOf } from '../rows/result.ts';
import type { Row, RowTexts } from '../rows/row.ts';
import {
  countStatement,
  hasKeyset,
  type PageStart,
  pageStatement,
  positionStatement,
  type RowQuery,
  rowByKeyStatement,
  type Statement,
} from './row-query.ts';
import { KEPT_BYTES, PAGE_ROWS } from './stored-rows.ts';

interface Answer {
  readonly rows: readonly Row[];
  readonly characters: number;
  readonly timeMs: number | undefined;
}

export class KeysetRows extends PagedRows {
  readonly query: RowQuery;

  constructor(query: RowQuery) {
    super(PAGE_ROWS, KEPT_BYTES);
    this.query = query;
    const { schema, name: table } = query.table;
    this.columns.value = query.columns.map(({ name, type, sqlType, isKey }) => {
      return { name, type, sqlType, schema, table, isPinned: isKey };
    });
  }

  /** Returns the index of the row with a key, or undefined if there is none. Throws SvcError. */
  async indexOf(key: RowTexts): Promise<number | undefined> {
    const [row] = (await this.#execute(rowByKeyStatement(this.query, key), 1)).rows;
    if (row === undefined) return undefined;
    return this.#number(positionStatement(this.query, this.textsOf(row)));
  }

  protected async fetchPage(index: number) {
    const { answer, isBackward } = await this.#answerOf(index);
    this.timeMs.value ??= answer.timeMs;
    const rows = isBackward ? [...answer.rows].reverse() : answer.rows;
    return { rows, characters: answer.characters, total: this.#totalBy(index, rows.length) };
  }

  protected override countRows(): Promise<number> {
    return this.#number(countStatement(this.query));
  }

  /** Reads a page from the one before it or after it if there is one, or else by skipping rows. */
  async #answerOf(index: number): Promise<{ readonly answer: Answer; readonly isBackward: boolean }> {
    const read = async (start: PageStart) => this.#execute(pageStatement(this.query, start, PAGE_ROWS), PAGE_ROWS);
    const last = this.#neighbour(index - 1)?.[PAGE_ROWS - 1];
    if (last !== undefined) return { answer: await read({ after: this.textsOf(last) }), isBackward: false };
    const next = index === 0 ? undefined : this.#neighbour(index + 1)?.[0];
    if (next !== undefined) {
      const answer = await read({ before: this.textsOf(next) });
      // Rows were removed, so the remaining ones have new positions.
      if (answer.rows.length === PAGE_ROWS) return { answer, isBackward: true };
    }
    return { answer: await read({ skipped: index * PAGE_ROWS }), isBackward: false };
  }

  #neighbour(index: number): readonly Row[] | undefined {
    return hasKeyset(this.query) ? this.freshPage(index) : undefined;
  }

  /** Returns the total number of rows according to a page and its length, if it is the last one. */
  #totalBy(index: number, length: number): number | undefined {
    const end = index * PAGE_ROWS + length;
    if (length === PAGE_ROWS) return undefined;
    // An empty page after the end says nothing about the pages before it.
    if (length > 0 || index === 0) return end;
    if (this.rowCount.peek() <= end) return this.rowCount.peek();
    void this.count();
    return undefined;
  }

  async #number(statement: Statement): Promise<number> {
    return Number((await this.#execute(statement, 1)).rows[0]?.[0] ?? 0);
  }

  async #execute(statement: Statement, rows: number): Promise<Answer> {
    // One row more, so the service closes the cursor with the answer.
    const params = { ...parametersOf({ ...statement, schema: '' }), pageSize: rows + 1, statistics: true };
    const text = await (await send('qryfldexe', params, this.stop.signal)).text();
    const { response } = parseAsSent(text) as unknown as {
      readonly response: { readonly items: readonly Row[]; readonly timeMs?: number };
    };
    const { items, timeMs } = response;
    return { rows: items, characters: text.length, timeMs: timeMs === undefined ? undefined : Number(timeMs) };
  }
}
