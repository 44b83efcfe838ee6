/**
 * The entries that filters select, ordered by a column. No command selects or sorts entries, so all are examined, and
 * the matches so far are shown meanwhile.
 */
import { formatNumber, writeJson } from '../elements/formats.ts';
import type { FetchedPage } from '../rows/paged-rows.ts';
import type { Row } from '../rows/row.ts';
import { entryRow, type LineTest } from './entry-kind.ts';
import { comparerOf, type EntryQuery, lineTestOf, matcherOf } from './entry-query.ts';
import { type EntrySource, StreamedEntries } from './entry-rows.ts';
import { PAGE_ROWS } from './stored-rows.ts';

/** Matching entries are kept up to these bounds; when ordered, the first ones. Users do not look through more. */
const MAX_FOUND = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Maximum number of entries examined in one step. */
const STEP_ENTRIES = 1_000;
/** How often the matches so far are shown. */
const SHOW_MS = 250;
/** The page handles user input at least this often. */
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
  /** Matching entries, including those not kept. */
  matching: number;
  /** Whether all entries were examined. */
  isOver: boolean;
  /** Whether more entries match than are kept. */
  isFull: boolean;
  /** How many of the matches are sorted. */
  sorted: number;
}

function newPass(): Pass {
  return { found: [], characters: 0, lookedAt: 0, matching: 0, isOver: false, isFull: false, sorted: 0 };
}

export class FilteredEntries extends StreamedEntries {
  readonly #matches: (row: Row) => boolean;
  readonly #mayMatch: LineTest;
  readonly #compare: Comparer | undefined;
  #pass = newPass();
  /** The total number of entries, if known. */
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
    if (this.#pass.isOver && this.#compare !== undefined) cutToFirst(this.#pass, this.#compare);
    this.progress.value = this.#progress(await this.#total);
    const { found, isOver } = this.#pass;
    if (this.#compare !== undefined && !isOver) return { rows: [], characters: 0, total: undefined, isPartial: true };
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

  /** Returns what is not shown, and why; empty if all matches are shown. */
  #progress(total: number | undefined): string {
    const { isOver, isFull, lookedAt, matching, found } = this.#pass;
    if (!isOver) {
      const all = total === undefined ? '' : ` of ${formatNumber(Math.max(total, lookedAt))}`;
      return `Checked ${formatNumber(lookedAt)}${all} entries.`;
    }
    if (!isFull) return '';
    const which = this.#compare === undefined ? 'that match' : `of ${formatNumber(matching)} in this order`;
    return `These are the first ${formatNumber(found.length)} ${which}. Narrow the filters, or export the cache.`;
  }

  /** Examines the next entries. Entries read for a restarted pass no longer count. */
  async #look(pass: Pass): Promise<void> {
    this.stop.signal.throwIfAborted();
    const { entries, count, total } = await this.stream.read(pass.lookedAt, STEP_ENTRIES, this.#mayMatch);
    for (const entry of entries) {
      const row = entryRow(entry);
      if (!this.#matches(row)) continue;
      pass.matching++;
      if (this.#compare === undefined && isBeyond(pass, 1)) {
        [pass.isFull, pass.isOver] = [true, true];
        return;
      }
      if (this.#compare !== undefined && isBehind(pass, row, this.#compare)) continue;
      const characters = writeJson(entry, 0).length;
      pass.found.push({ row, characters });
      pass.characters += characters;
      if (this.#compare !== undefined && isBeyond(pass, 2)) cutToFirst(pass, this.#compare);
    }
    pass.lookedAt += count;
    pass.isOver = total !== undefined && pass.lookedAt >= total;
  }
}

type Comparer = (a: Row, b: Row) => number;

/** Whether the matches have reached the bounds, or a multiple of them. */
function isBeyond({ found, characters }: Pass, times: number): boolean {
  return found.length >= times * MAX_FOUND || characters > times * MAX_CHARACTERS;
}

/** Whether an entry comes after all kept entries of a pass that has dropped some: most do, and need no sorting. */
function isBehind({ found, isFull, sorted }: Pass, row: Row, compare: Comparer): boolean {
  const last = found[sorted - 1];
  return isFull && last !== undefined && compare(row, last.row) >= 0;
}

/** Sorts the matches, and keeps the first ones up to the bounds. Equal entries keep their order. */
function cutToFirst(pass: Pass, compare: Comparer): void {
  if (pass.sorted === pass.found.length) return;
  pass.found.sort((a, b) => compare(a.row, b.row));
  let [kept, characters] = [0, 0];
  for (const each of pass.found) {
    if (kept === MAX_FOUND || (kept > 0 && characters + each.characters > MAX_CHARACTERS)) break;
    kept++;
    characters += each.characters;
  }
  pass.isFull ||= kept < pass.found.length;
  pass.found.length = kept;
  [pass.sorted, pass.characters] = [kept, characters];
}
