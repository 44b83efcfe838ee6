/** All entries of a cache in export order, from any position; by a scan where no export is possible. */
import { parseAsSent } from '../../client/exact-json.ts';
import { writeJson } from '../elements/formats.ts';
import { call, callToShow, isNotSupported, type Json, SvcError } from '../requests/request.ts';
import type { EntryPart, LineTest, StoredEntry } from './entry-kind.ts';
import { exportLines } from './export-lines.ts';

/** How long after the last scrolling an export stays open: it counts as a cursor and holds a connection. */
const IDLE_MS = 5_000;
const SCAN_ENTRIES = 300;
/** Entries that arrive sooner than the response to a new export. */
const MAX_SKIPPED = 1_000;
/** The error code when an export has met a value that it cannot write. */
const NOT_EXPORTABLE = 'EXPORT_VALUE';

const ALL: LineTest = () => true;

/** The part that is not parsed yet. */
type Item = string | StoredEntry;

/** Reads entries without types and deadlines, among them those that no export can write. */
async function* scanPages(cacheName: string, abort: AbortSignal): AsyncGenerator<readonly Item[]> {
  let open: Json | undefined;
  try {
    for (let isLast = false; !isLast && !abort.aborted; ) {
      const [cmd, target] = open === undefined ? ['qryscanexe', { cacheName }] : ['qryfetch', { qryId: open }];
      const { response } = await callToShow(cmd, { ...target, pageSize: SCAN_ENTRIES });
      const page = response as unknown as { items: readonly StoredEntry[]; last: boolean; queryId: Json };
      isLast = page.last;
      open = isLast ? undefined : page.queryId;
      yield page.items;
    }
  } finally {
    if (open !== undefined) call('qrycls', { qryId: open }).catch(() => {});
  }
}

/** Reads entries, one part at a time. */
export class EntryStream {
  readonly #cacheName: string;
  #chunks: AsyncGenerator<readonly Item[]> | undefined;
  #stop = new AbortController();
  /** Entries that were read but not requested yet. */
  #waiting: Item[] = [];
  /** The entry at which reading continues. */
  #at = 0;
  #isScan = false;
  /** Whether the engine can start exports only at the first entry. */
  #cannotSkip = false;
  #isStale = false;
  #isClosed = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(cacheName: string) {
    this.#cacheName = cacheName;
  }

  /** Returns the number of all entries. Throws SvcError. */
  async size(): Promise<number> {
    return Number(await call('size', { cacheName: this.#cacheName }));
  }

  /** The next read starts from the beginning. */
  restart(): void {
    this.#isStale = true;
  }

  close(): void {
    this.#isClosed = true;
    this.#rewind();
  }

  /** Reads entries from a place. Those that cannot match are left out. Throws SvcError. */
  async read(from: number, count: number, mayMatch: LineTest = ALL): Promise<EntryPart> {
    clearTimeout(this.#idle);
    if (this.#isStale || this.#at > from || (!this.#isInOrder && from - this.#at > MAX_SKIPPED)) this.#rewind();
    this.#isStale = false;
    try {
      return await this.#take(from, count, mayMatch);
    } catch (problem) {
      this.#rewind();
      if (isNotSupported(problem) && !this.#cannotSkip) {
        this.#cannotSkip = true;
        return await this.#take(from, count, mayMatch);
      }
      // A response that ends early has also met such a value.
      const mayScan = !(problem instanceof SvcError) || problem.code === NOT_EXPORTABLE;
      this.#isScan = !this.#isScan && mayScan && !this.#isClosed;
      if (!this.#isScan) throw problem;
      return await this.#take(from, count, mayMatch);
    } finally {
      // A caller that left during the read has not closed it.
      if (this.#isClosed) this.#rewind();
      else this.#idle = setTimeout(() => this.#rewind(), IDLE_MS);
    }
  }

  /** Whether reading must start at the first entry and skip to the wanted one, which takes time. */
  get #isInOrder(): boolean {
    return this.#isScan || this.#cannotSkip;
  }

  /** Reads up to the end of the wanted range. */
  async #take(from: number, count: number, mayMatch: LineTest): Promise<EntryPart> {
    if (this.#chunks === undefined) {
      this.#at = this.#isInOrder ? 0 : from;
      const { signal } = this.#stop;
      this.#chunks = this.#isScan ? scanPages(this.#cacheName, signal) : exportLines(this.#cacheName, signal, this.#at);
    }
    const taken: Item[] = [];
    let total: number | undefined;
    while (this.#at < from + count) {
      if (this.#waiting.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) {
          total = this.#at;
          break;
        }
        this.#waiting = [...next.value];
      } else {
        const isSkipped = this.#at < from;
        const items = this.#waiting.splice(0, (isSkipped ? from : from + count) - this.#at);
        if (!isSkipped) taken.push(...items);
        this.#at += items.length;
      }
    }
    const wanted = taken.filter((item) => typeof item !== 'string' || mayMatch(item));
    const characters = wanted.reduce((sum, item) => sum + textOf(item).length, 0);
    return { entries: wanted.map(entryOf), count: taken.length, characters, total };
  }

  /** Closes everything. The next read starts at the first entry. */
  #rewind(): void {
    clearTimeout(this.#idle);
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#chunks?.return(undefined).catch(() => {});
    this.#chunks = undefined;
    this.#waiting = [];
    this.#at = 0;
  }
}

function textOf(item: Item): string {
  return typeof item === 'string' ? item : writeJson(item, 0);
}

function entryOf(item: Item): StoredEntry {
  return typeof item === 'string' ? (parseAsSent(item) as unknown as StoredEntry) : item;
}
