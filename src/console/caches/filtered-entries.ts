/**
 * The entries that filters select, in an order by a column. No command selects or sorts entries: all are looked at, and
 * what was found so far is shown meanwhile.
 */
import { formatNumber, writeJson } from '../elements/formats.ts';
import type { FetchedPage } from '../rows/paged-rows.ts';
import type { Row } from '../rows/row.ts';
import { entryRow, type LineTest } from './entry-kind.ts';
import { comparerOf, type EntryQuery, lineTestOf, matcherOf } from './entry-query.ts';
import { type EntrySource, StreamedEntries } from './entry-rows.ts';
import { PAGE_ROWS } from './stored-rows.ts';

/** Entries that match are kept up to these bounds. Nobody looks through more. */
const MAX_FOUND = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Entries that are looked at in one step. */
const STEP_ENTRIES = 1_000;
/** How often what was found so far is shown. */
const SHOW_MS = 250;
/** The page handles what the user does at least so often. */
const SLICE_MS = 20;

interface Found {
  readonly row: Row;
  readonly characters: number;
}

/** One reading of all entries. */
interface Pass {
  found: Found[];
  characters: number;
  lookedAt: number;
  /** Whether nothing is left to be looked at. */
  isOver: boolean;
  /** Whether more entries match than are kept. */
  isFull: boolean;
  isSorted: boolean;
}

function newPass(): Pass {
  return { found: [], characters: 0, lookedAt: 0, isOver: false, isFull: false, isSorted: false };
}

export class FilteredEntries extends StreamedEntries {
  readonly #matches: (row: Row) => boolean;
  readonly #mayMatch: LineTest;
  readonly #compare: ((a: Row, b: Row) => number) | undefined;
  #pass = newPass();
  /** How many entries there are in all, where that can be told. */
  #total: Promise<number | undefined> | undefined;

  constructor(stream: EntrySource, query: EntryQuery) {
    super(stream);
    this.#matches = matcherOf(query);
    this.#mayMatch = lineTestOf(query);
    this.#compare = query.order && comparerOf(query.order);
  }

  protected override forget(): void {
    super.forget();
    this.#pass = newPass();
    this.#total = undefined;
  }

  protected async fetchPage(index: number): Promise<FetchedPage> {
    const end = (index + 1) * PAGE_ROWS;
    const beginMs = Date.now();
    this.#total ??= this.stream.size().catch(() => undefined);
    for (let sliceMs = beginMs; !this.#has(end); ) {
      await this.#look(this.#pass);
      const nowMs = Date.now();
      if (nowMs - beginMs >= SHOW_MS) break;
      if (nowMs - sliceMs < SLICE_MS) continue;
      await new Promise((resolve) => setTimeout(resolve));
      sliceMs = Date.now();
    }
    const { found, isOver } = this.#pass;
    this.progress.value = this.#progress(await this.#total);
    if (this.#compare !== undefined && !isOver) return { rows: [], characters: 0, total: undefined, isPartial: true };
    if (this.#compare !== undefined) this.#sort(this.#compare);
    const part = found.slice(index * PAGE_ROWS, end);
    return {
      rows: part.map(({ row }) => row),
      characters: part.reduce((sum, { characters }) => sum + characters, 0),
      total: isOver ? found.length : undefined,
      isPartial: !isOver && part.length < PAGE_ROWS,
    };
  }

  #has(count: number): boolean {
    const { found, isOver } = this.#pass;
    return isOver || (this.#compare === undefined && found.length >= count);
  }

  /** Returns what is not shown, and why; empty if all that matches is. */
  #progress(total: number | undefined): string {
    const { isOver, isFull, lookedAt, found } = this.#pass;
    if (isFull && this.#compare !== undefined) {
      const count = formatNumber(found.length);
      return `More than ${count} entries match, too many to sort: the first ${count} are shown unsorted. Filter further.`;
    }
    if (isFull) {
      return `These are the first ${formatNumber(found.length)} that match. Filter further, or export the cache.`;
    }
    if (isOver) return '';
    const all = total === undefined ? '' : ` of ${formatNumber(Math.max(total, lookedAt))}`;
    return `Looked at ${formatNumber(lookedAt)}${all} entries.`;
  }

  #sort(comparer: (a: Row, b: Row) => number): void {
    const { found, isFull, isSorted } = this.#pass;
    // The first ones of some are not the first ones of all.
    if (!isSorted && !isFull) found.sort((a, b) => comparer(a.row, b.row));
    this.#pass.isSorted = true;
  }

  /** Looks at the next entries. What is read for a pass that was begun again counts no more. */
  async #look(pass: Pass): Promise<void> {
    this.stop.signal.throwIfAborted();
    const { entries, count, total } = await this.stream.read(pass.lookedAt, STEP_ENTRIES, this.#mayMatch);
    for (const entry of entries) {
      const row = entryRow(entry);
      if (!this.#matches(row)) continue;
      if (pass.found.length === MAX_FOUND || pass.characters > MAX_CHARACTERS) {
        [pass.isFull, pass.isOver] = [true, true];
        return;
      }
      const characters = writeJson(entry, 0).length;
      pass.found.push({ row, characters });
      pass.characters += characters;
    }
    pass.lookedAt += count;
    pass.isOver = total !== undefined && pass.lookedAt >= total;
  }
}
