/** The rows of a statement, read page by page through its cursor, of which a bounded part is kept. */
import { batch, signal } from '@preact/signals';
import { parseExact } from '../../client/exact-json.ts';
import { type Json, type Parameters, RequestError, send } from '../requests/request.ts';

export interface Column {
  readonly name: string;
  /** The name of a Java class, which the interface names types by. */
  readonly type: string;
}

interface Page {
  readonly queryId: number | bigint;
  readonly items: readonly (readonly Json[])[];
  readonly last: boolean;
  readonly fieldsMetadata: readonly { readonly fieldName: string; readonly fieldTypeName: string }[] | null;
  readonly timeMs?: number;
}

interface KeptPage {
  readonly rows: readonly (readonly Json[])[];
  readonly bytes: number;
}

/** A page is parsed in a few milliseconds, so that scrolling stays smooth. */
export const PAGE_ROWS = 1_000;
/** Pages are kept up to this size; those farthest from what is shown are dropped first. */
const KEPT_BYTES = 50 * 1024 * 1024;
/** A parsed row takes about this many times the bytes of its text. */
const BYTES_PER_CHARACTER = 3;
/** Pages that one request reads on the way to a page that was dropped. */
const SKIPPED_PAGES = 10;

/** A statement with what it is executed with. */
export interface Statement {
  readonly sql: string;
  readonly args: ReadonlyArray<{ readonly type: string; readonly value: string }>;
  readonly schema: string;
}

/** Returns the parameters of a statement. */
export function parametersOf({ sql, args, schema }: Statement): Parameters {
  const numbered = args.flatMap(({ type, value }, index) => [
    [`arg${index + 1}`, type === 'null' ? '' : value],
    [`arg${index + 1}Type`, type],
  ]);
  return { qry: sql, ...Object.fromEntries(numbered), ...(schema !== '' && { cacheName: schema }) };
}

export class Result {
  readonly statement: Statement;
  readonly columns = signal<readonly Column[]>([]);
  /** Rows that have been read so far. */
  readonly rowCount = signal(0);
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  readonly timeMs = signal<number | undefined>(undefined);
  /** Changes when rows arrive or are dropped. */
  readonly version = signal(0);
  readonly #pages = new Map<number, KeptPage>();
  readonly #pageRows: number;
  readonly #stop = new AbortController();
  #keptBytes = 0;
  #cursor: number | bigint | undefined;
  #shown = 0;
  #again: Promise<void> | undefined;

  constructor(statement: Statement, pageRows = PAGE_ROWS) {
    this.statement = statement;
    this.#pageRows = pageRows;
  }

  /** Executes the statement and reads the first page. Throws RequestError, or an AbortError when it is cancelled. */
  async open(): Promise<void> {
    this.isReading.value = true;
    try {
      const { page, characters } = await this.#request('qryfldexe', {
        ...parametersOf(this.statement),
        pageSize: this.#pageRows,
        statistics: true,
      });
      const columns = (page.fieldsMetadata ?? []).map(({ fieldName, fieldTypeName }) => ({
        name: fieldName,
        type: fieldTypeName,
      }));
      batch(() => {
        this.columns.value = columns;
        this.timeMs.value = page.timeMs;
        this.#cursor = page.last ? undefined : page.queryId;
        this.isComplete.value = page.last;
        this.#keep(0, page.items, characters);
        this.rowCount.value = page.items.length;
      });
    } finally {
      this.isReading.value = false;
    }
  }

  /** Reads the next page, unless one is being read or there is none. Throws RequestError. */
  async readNext(): Promise<void> {
    if (this.#cursor === undefined || this.isReading.value) return;
    this.isReading.value = true;
    try {
      const { page, characters } = await this.#request('qryfetch', { qryId: this.#cursor, pageSize: this.#pageRows });
      batch(() => {
        this.#keep(this.rowCount.value / this.#pageRows, page.items, characters);
        this.rowCount.value += page.items.length;
        if (page.last) this.#cursor = undefined;
        this.isComplete.value = page.last;
      });
    } finally {
      this.isReading.value = false;
    }
  }

  /** Returns a row that is kept; undefined for one that was dropped, which {@link readAgain} reads. */
  row(index: number): readonly Json[] | undefined {
    return this.#pages.get(Math.floor(index / this.#pageRows))?.rows[index % this.#pageRows];
  }

  /** Notes what is shown: pages near it are kept. */
  show(index: number): void {
    this.#shown = Math.floor(index / this.#pageRows);
  }

  /** Reads a page again that was dropped, through another cursor. Throws RequestError. */
  readAgain(index: number): Promise<void> {
    this.#again ??= this.#readAgain(Math.floor(index / this.#pageRows)).finally(() => {
      this.#again = undefined;
    });
    return this.#again;
  }

  async #readAgain(wanted: number): Promise<void> {
    if (this.#pages.has(wanted)) return;
    let at = 0;
    let cursor: number | bigint | undefined;
    try {
      while (at <= wanted && (at === 0 || cursor !== undefined)) {
        const pages = Math.max(1, Math.min(SKIPPED_PAGES, wanted - at));
        const pageSize = pages * this.#pageRows;
        const { page, characters }: { page: Page; characters: number } =
          cursor === undefined
            ? await this.#request('qryfldexe', { ...parametersOf(this.statement), pageSize })
            : await this.#request('qryfetch', { qryId: cursor, pageSize });
        cursor = page.last ? undefined : page.queryId;
        if (at === wanted) this.#keep(at, page.items, characters);
        at += pages;
      }
    } finally {
      if (cursor !== undefined) closeCursor(cursor);
    }
  }

  /** Cancels what runs and closes the cursor. */
  close(): void {
    this.#stop.abort();
    if (this.#cursor !== undefined) closeCursor(this.#cursor);
    this.#cursor = undefined;
  }

  /** Returns the rows that are kept, in order, at most `maximum`. */
  *keptRows(maximum: number): Generator<readonly Json[]> {
    let count = 0;
    for (const [, { rows }] of [...this.#pages].sort(([a], [b]) => a - b)) {
      for (const row of rows) {
        if (count++ >= maximum) return;
        yield row;
      }
    }
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  #keep(index: number, rows: KeptPage['rows'], characters: number): void {
    const bytes = characters * BYTES_PER_CHARACTER;
    this.#pages.set(index, { rows, bytes });
    this.#keptBytes += bytes;
    while (this.#keptBytes > KEPT_BYTES && this.#pages.size > 2) {
      const center = this.#again === undefined && !this.isReading.value ? this.#shown : index;
      const farthest = [...this.#pages.keys()].reduce((a, b) => (Math.abs(b - center) > Math.abs(a - center) ? b : a));
      this.#keptBytes -= this.#pages.get(farthest)?.bytes ?? 0;
      this.#pages.delete(farthest);
    }
    this.version.value++;
  }

  async #request(cmd: string, params: Parameters): Promise<{ page: Page; characters: number }> {
    const response = await send(cmd, params, this.#stop.signal);
    const text = await response.text();
    const envelope = parseExact(text) as unknown as { readonly error: string | null; readonly response: Page };
    if (envelope.error !== null) throw new RequestError(envelope.error, response.status);
    return { page: envelope.response, characters: text.length };
  }
}

/** Closes a cursor. One that is gone already needs nothing. */
function closeCursor(qryId: number | bigint): void {
  send('qrycls', { qryId }, undefined).catch(() => {});
}
