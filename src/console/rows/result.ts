/** The rows of a statement, read page by page through its cursor. A bounded part is kept. */
import { parseAsSent } from '../../client/exact-json.ts';
import { type Json, type Parameters, send } from '../requests/request.ts';
import { type FetchedPage, PagedRows } from './paged-rows.ts';
import { parameterText } from './value-input.ts';

interface FieldMetadata {
  readonly schemaName: string;
  readonly typeName: string;
  readonly fieldName: string;
  readonly fieldTypeName: string;
}

interface Page {
  readonly queryId: Cursor;
  readonly items: readonly (readonly Json[])[];
  readonly last: boolean;
  readonly fieldsMetadata: readonly FieldMetadata[] | null;
  /** With all its digits: 8.580 is a decimal. */
  readonly timeMs?: Json;
}

/** A page is parsed in a few milliseconds, so scrolling stays smooth. */
const PAGE_ROWS = 1_000;
/** Pages are kept up to this size; those farthest from the rows in view are dropped first. */
const KEPT_BYTES = 50 * 1024 * 1024;
/** Pages that one request reads on the way to a page that was dropped. */
const SKIPPED_PAGES = 10;
/** Pages that are read again at once, so scrolling back does not execute the statement for each. */
const PAGES_AGAIN = 20;
/** Users who need more rows export them. */
export const MAX_ROWS = 1_100_000;
/** The text after the rows of a page is shorter. */
const END_CHARACTERS = 200;
const FEWER_ROWS = 'The result has fewer rows now. Run the statement again.';

type Cursor = number | bigint;

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly args: ReadonlyArray<{ readonly type: string; readonly value: string }>;
  readonly schema: string;
}

/** Returns the parameters of a statement. */
export function parametersOf({ sql, args, schema }: Statement): Parameters {
  const numbered = args.flatMap(({ type, value }, index) => [
    [`arg${index + 1}`, type === 'null' ? '' : parameterText(type, value)],
    [`arg${index + 1}Type`, type],
  ]);
  return { qry: sql, ...Object.fromEntries(numbered), ...(schema !== '' && { cacheName: schema }) };
}

export class Result extends PagedRows {
  readonly statement: Statement;
  /** The cursor that is open, and the page that it reads next. */
  #cursor: { readonly id: Cursor; readonly page: number } | undefined;

  constructor(statement: Statement) {
    super(PAGE_ROWS, KEPT_BYTES, MAX_ROWS);
    this.statement = statement;
  }

  /** Cancels the running request and closes the cursor. */
  override close(): void {
    super.close();
    this.#closeCursor();
  }

  protected async fetchPage(index: number): Promise<FetchedPage> {
    try {
      if ((this.#cursor?.page ?? 0) !== index) {
        // Scrolling back also needs the previous pages: reading them one by one would skip all others each time.
        let first = index;
        while (index - first < PAGES_AGAIN && first > 0 && this.freshPage(first - 1) === undefined) first--;
        await this.#openAt(first);
        for (let at = first; at < index; at++) {
          this.keep(at, await this.#next());
          if (this.#cursor === undefined) throw new Error(FEWER_ROWS);
        }
      }
      return await this.#next();
    } catch (problem) {
      // Its cursor may have failed. The next read opens a new one.
      this.#closeCursor();
      throw problem;
    }
  }

  /** Reads the page at which the cursor is; without a cursor the first one. */
  async #next(): Promise<FetchedPage> {
    const { page: index = 0 } = this.#cursor ?? {};
    const text = await this.#text(PAGE_ROWS);
    const { response } = parseAsSent(text) as unknown as { readonly response: Page };
    const { items, last, queryId, fieldsMetadata, timeMs } = response;
    if (this.columns.peek().length === 0) {
      this.columns.value = (fieldsMetadata ?? []).map(({ schemaName, typeName, fieldName, fieldTypeName }) => ({
        name: fieldName,
        type: fieldTypeName,
        schema: schemaName,
        table: typeName,
      }));
      this.timeMs.value = timeMs === undefined ? undefined : Number(timeMs);
    }
    this.#cursor = last ? undefined : { id: queryId, page: index + 1 };
    const total = last ? index * PAGE_ROWS + items.length : undefined;
    return { rows: items, characters: text.length, total };
  }

  /** Executes the statement again, up to a page. Does not parse the pages before. Throws if there are none so far. */
  async #openAt(index: number): Promise<void> {
    this.#closeCursor();
    for (let at = 0; at < index; ) {
      const pages = Math.min(SKIPPED_PAGES, index - at);
      const { isLast, queryId } = readEnds(await this.#text(pages * PAGE_ROWS));
      if (isLast) throw new Error(FEWER_ROWS);
      at += pages;
      this.#cursor = { id: queryId, page: at };
    }
  }

  /** Returns the envelope of the next rows of the cursor, or of the first ones of the statement. Throws SvcError. */
  async #text(pageSize: number): Promise<string> {
    const qryId = this.#cursor?.id;
    const [cmd, target] =
      qryId === undefined
        ? ['qryfldexe', { ...parametersOf(this.statement), statistics: true }]
        : ['qryfetch', { qryId }];
    return (await send(cmd, { ...target, pageSize }, this.stop.signal)).text();
  }

  /** Closes the cursor, if it still exists. */
  #closeCursor(): void {
    if (this.#cursor !== undefined) send('qrycls', { qryId: this.#cursor.id }).catch(() => {});
    this.#cursor = undefined;
  }
}

/** Returns the members before and after the rows of a page. A quotation mark in a row is escaped. */
function readEnds(text: string): { readonly isLast: boolean; readonly queryId: bigint } {
  const [, queryId = ''] = /"queryId":(\d+)/.exec(text) ?? [];
  return { queryId: BigInt(queryId), isLast: text.slice(-END_CHARACTERS).includes('"last":true') };
}
