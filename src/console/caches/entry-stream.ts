/** All entries of a cache in the order of an export, from any of them on; by a scan where no export is possible. */
import { parseAsSent } from '../../client/exact-json.ts';
import { writeJson } from '../elements/formats.ts';
import { call, callToShow, isNotSupported, type Json, SvcError } from '../requests/request.ts';
import type { EntryPart, LineTest, StoredEntry } from './entry-kind.ts';
import { exportLines } from './export-lines.ts';

/** Nobody scrolls any more: an open export counts as a cursor and keeps a connection. */
const IDLE_MS = 5_000;
const SCAN_ENTRIES = 300;
/** Entries that arrive sooner than the answer to another export. */
const MAX_SKIPPED = 1_000;
/** The code of the error when an export has met a value that it cannot write. */
const NOT_EXPORTABLE = 'EXPORT_VALUE';

const ALL: LineTest = () => true;

/** What is not parsed yet, or was never text of its own. */
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

/** Reads entries, one part after the other has ended. */
export class EntryStream {
  readonly #cacheName: string;
  #chunks: AsyncGenerator<readonly Item[]> | undefined;
  #stop = new AbortController();
  /** What was read and not asked for yet. */
  #waiting: Item[] = [];
  /** The entry that reading goes on with. */
  #at = 0;
  #isScan = false;
  /** Whether the engine begins exports with the first entry only. */
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

  /** Begins again with the next read. */
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
      // A response that ends early has met such a value, too.
      const mayScan = !(problem instanceof SvcError) || problem.code === NOT_EXPORTABLE;
      this.#isScan = !this.#isScan && mayScan && !this.#isClosed;
      if (!this.#isScan) throw problem;
      return await this.#take(from, count, mayMatch);
    } finally {
      // Whoever has left while the read ran has closed nothing of it.
      if (this.#isClosed) this.#rewind();
      else this.#idle = setTimeout(() => this.#rewind(), IDLE_MS);
    }
  }

  /** Whether reading can only begin with the first entry, and skip those before what is wanted, which takes time. */
  get #isInOrder(): boolean {
    return this.#isScan || this.#cannotSkip;
  }

  /** Reads on up to the end of what is wanted. */
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

  /** Closes what is open. The next read begins with the first entry. */
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
