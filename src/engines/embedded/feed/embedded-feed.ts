/**
 * A thread's change feed: streams of changes from the feed's tables, on the thread that answers the request. A consumer
 * that does not read costs nothing: its stream pauses and holds one page, while the tables keep what follows. Consumers
 * of the same changes in the same form share pages, so each change is decoded once per thread.
 */
import { LRUCache } from 'lru-cache';
import { type Clock, sleep } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../../base/limits.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { type ConsumerEntry, Consumers } from '../../../grid/change-consumers.ts';
import {
  type ChangeFeed,
  type ConsumerInfo,
  decodePosition,
  encodePosition,
  endReasonOf,
  type FeedStatistics,
  FROM_NOW,
  FROM_START,
  type WatchRequest,
} from '../../../grid/change-feed.ts';
import { equalValues } from '../../../values/equality.ts';
import type { CacheRegistry } from '../ddl/cache-registry.ts';
import { DATA_DATABASE, type ReadConnection, type ReadConnections } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import type { TypeNames } from '../storage/value-storage.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { CommitWaiters } from './commit-waiters.ts';
import { type FeedFilter, type FeedLocation, FeedReader } from './feed-reader.ts';

export interface FeedOptions {
  readonly reads: ReadConnections;
  readonly registry: CacheRegistry;
  readonly names: TypeNames;
  readonly shared: SharedState;
  readonly changes: ChangeChannel;
  readonly clock: Clock;
  readonly consumersMemory: ArrayBufferLike;
  readonly maxConsumers: number;
}

/** A page as a consumer receives it. */
interface WrittenPage {
  readonly text: string;
  readonly changes: number;
  readonly end: number;
  readonly hasMore: boolean;
  /** The number of commits before it was read. It may lack the changes of later ones. */
  readonly commits: number;
}

/** Minimum time between pages for a consumer that has received everything: under load, pages are larger. */
const PAGE_INTERVAL_MS = 25;
/** Maximum number of pages shared by consumers, by their requests. */
const SHARED_PAGES = 32;

/** A stream's place in each database that it reads, in the order of its positions. */
type Places = Map<number, FeedLocation>;

export class EmbeddedFeed implements ChangeFeed {
  readonly isResumable = true;
  readonly #options: FeedOptions;
  readonly #reader: FeedReader;
  readonly #waiters: CommitWaiters;
  readonly #consumers: Consumers;
  readonly #pages = new LRUCache<string, WrittenPage>({ max: SHARED_PAGES });
  /** The ends of databases at a number of commits. */
  readonly #ends = new Map<
    number,
    { readonly commits: number; readonly connection: ReadConnection; readonly text: string }
  >();
  /** The databases with recorded caches at a version of the definitions. */
  #recorded: { readonly version: number; readonly databases: ReadonlySet<number> } | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#reader = new FeedReader(options.reads, options.names);
    this.#waiters = new CommitWaiters(options.shared, options.clock);
    this.#consumers = new Consumers(options.consumersMemory, options.maxConsumers);
  }

  watch(request: WatchRequest): AsyncIterable<string> {
    const { shared, clock } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    const places = this.#placesOf(request);
    const [first = DATA_DATABASE] = places.keys();
    const entry = this.#consumers.enter(request.tenant.key, {
      owner: request.owner,
      caches: request.caches?.join(', ') ?? '',
      startedAtMs: clock.nowMs(),
      database: first,
    });
    return this.#stream(request, places, entry);
  }

  position(caches: readonly string[] | 'recorded' | 'kept'): string | undefined {
    try {
      return this.#position(caches);
    } catch (error) {
      // The change has happened: its response must not be an error because its position cannot be read.
      if (storageFailure(error) === error) throw error;
      return undefined;
    }
  }

  #position(caches: readonly string[] | 'recorded' | 'kept'): string | undefined {
    const databases = this.#positionedDatabases(caches);
    if (databases.size === 0 || this.#options.shared.isInactive()) return undefined;
    if (databases.size === 1) for (const each of databases) return this.#endText(each);
    return encodePlaces(new Map([...databases].map((each) => [each, this.#reader.end(each)])));
  }

  /** Returns the end of a database, shared by all responses between commits. */
  #endText(database: number): string {
    // Read before the end: a change that is acknowledged later has counted its commit by then.
    const commits = this.#options.shared.commits(database);
    const connection = this.#options.reads.get(database);
    const known = this.#ends.get(database);
    if (known?.commits === commits && known.connection === connection) return known.text;
    const { file, position } = this.#reader.end(database);
    const text = `${file}.${position}`;
    this.#ends.set(database, { commits, connection, text });
    return text;
  }

  waitFor(position: string, timeoutMs: number, signal: AbortSignal): MaybePromise<void> {
    const wanted = decodePosition(position);
    const { shared, clock } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    const databases = this.#allDatabases();
    const isReached = (): boolean => {
      const ends = new Map(databases.map((each) => this.#reader.end(each)).map((end) => [end.file, end.position]));
      for (const file of wanted.keys()) {
        if (!ends.has(file)) throw gridError('CHANGE_POSITION_GONE', position, 'it belongs to another file');
      }
      return [...wanted].every(([file, number]) => (ends.get(file) ?? 0) >= number);
    };
    if (isReached()) return undefined;
    const untilMs = clock.monotonicMs() + timeoutMs;
    const wait = async (): Promise<void> => {
      for (;;) {
        const seen = this.#waiters.seen(databases);
        if (isReached()) return;
        if (clock.monotonicMs() >= untilMs || signal.aborted)
          throw gridError('CHANGE_POSITION_TIMEOUT', position, timeoutMs);
        await this.#waiters.wait({ databases, seen, untilMs }, signal);
      }
    };
    return wait();
  }

  async setRecorded(cache: string, isRecorded: boolean): Promise<void> {
    const { changes, clock } = this.#options;
    // Other requests are served between parts of the work.
    while (!(await changes.submit('recordCache', { name: cache, isRecorded }))) await sleep(clock, 0);
  }

  consumers(): readonly ConsumerInfo[] {
    return this.#consumers.list().map(({ database, position, ...consumer }) => ({
      ...consumer,
      behind: Math.max(0, this.#endOf(database) - position),
    }));
  }

  statistics(): FeedStatistics {
    const { consumers, delivered, lost } = this.#consumers.counts();
    const keptBytes = this.#allDatabases().reduce((sum, each) => sum + this.#reader.keptBytes(each), 0);
    return { consumers, delivered, lost, keptBytes };
  }

  #endOf(database: number): number {
    if (database !== DATA_DATABASE && this.#options.shared.isInactive()) return 0;
    return this.#reader.end(database).position;
  }

  /** Returns the databases of all existing files. */
  #allDatabases(): readonly number[] {
    const { reads, shared } = this.#options;
    const temporary = shared.isInactive() ? [] : reads.files.temporaryRegions.map((_, index) => index + 1);
    return [DATA_DATABASE, ...temporary];
  }

  #databasesOf(caches: readonly string[]): ReadonlySet<number> {
    const { registry } = this.#options;
    const databases = new Set<number>();
    for (const cache of caches) {
      const handle = registry.find(cache);
      if (handle?.definition.changeFeed === true) databases.add(handle.database);
    }
    return databases;
  }

  #positionedDatabases(caches: readonly string[] | 'recorded' | 'kept'): ReadonlySet<number> {
    if (caches === 'kept') return new Set(this.#allDatabases().filter((each) => this.#reader.hasChanges(each)));
    const recorded = this.#recordedDatabases();
    return caches === 'recorded' || recorded.size === 0 ? recorded : this.#databasesOf(caches);
  }

  #recordedDatabases(): ReadonlySet<number> {
    const { registry, shared } = this.#options;
    const version = shared.definitionsVersion();
    if (this.#recorded?.version !== version) {
      this.#recorded = { version, databases: new Set([...registry.recorded()].map(({ database }) => database)) };
    }
    return this.#recorded.databases;
  }

  /** Returns where a stream begins. Throws the errors of {@link watch}. */
  #placesOf({ caches, from }: WatchRequest): Places {
    if (from === FROM_NOW || from === FROM_START) {
      const databases = caches === undefined ? this.#allDatabases() : this.#requiredDatabases(caches, from);
      const place = (each: number) => (from === FROM_NOW ? this.#reader.end(each) : this.#reader.start(each));
      return new Map(databases.map((each) => [each, place(each)]));
    }
    const position = decodePosition(from);
    const databases = new Set(caches === undefined ? this.#allDatabases() : this.#requiredDatabases(caches, from));
    const places: Places = new Map();
    const byFile = new Map(this.#allDatabases().map((each) => [this.#reader.end(each).file, each]));
    for (const [file, number] of position) {
      const database = byFile.get(file);
      if (database === undefined) throw gridError('CHANGE_POSITION_GONE', from, 'it belongs to another file');
      this.#reader.check(database, { file, position: number }, from);
      places.set(database, { file, position: number });
      databases.delete(database);
    }
    // A file that the position does not name had no changes then: all of its changes follow, if all are kept.
    for (const database of databases) {
      const place = { file: this.#reader.end(database).file, position: 0 };
      this.#reader.check(database, place, from);
      places.set(database, place);
    }
    return places;
  }

  /**
   * Returns the databases of caches. Throws CACHE_NOT_FOUND and CHANGE_FEED_OFF, but not for a cache with recorded
   * changes in the past.
   */
  #requiredDatabases(caches: readonly string[], from: string): readonly number[] {
    const { registry } = this.#options;
    const databases = new Set<number>();
    for (const cache of caches) {
      const handle = registry.find(cache);
      if (handle?.definition.changeFeed === true) databases.add(handle.database);
      else if (from !== FROM_NOW && this.#hasPast(cache, databases)) continue;
      else if (handle !== undefined) throw gridError('CHANGE_FEED_OFF', cache);
      else throw gridError('CACHE_NOT_FOUND', cache, registry.cacheOfTable(cache));
    }
    return [...databases];
  }

  /** Reports whether a cache's changes were recorded, and adds the databases that have them. */
  #hasPast(cache: string, databases: Set<number>): boolean {
    const found = this.#allDatabases().filter((each) => this.#reader.knows(each, cache));
    for (const each of found) databases.add(each);
    return found.length > 0;
  }

  async *#stream(request: WatchRequest, places: Places, entry: ConsumerEntry): AsyncGenerator<string> {
    const { writer, signal, heartbeatMs, authorize } = request;
    const { clock } = this.#options;
    const databases = [...places.keys()];
    const [first = DATA_DATABASE] = databases;
    const filter: FeedFilter = {
      caches: request.caches === undefined ? undefined : new Set(request.caches),
      operations: request.operations,
      withOldValue: request.withOldValue,
    };
    const note = (changes: number, bytes: number): void =>
      entry.sent(changes, bytes, clock.nowMs(), places.get(first)?.position ?? 0);
    // The consumer has taken a part once it requests the next one.
    const taken = (): void => request.taken?.(encodePlaces(places));
    let sentMs = clock.monotonicMs();
    let notBeforeMs = sentMs;
    let authorizedMs = sentMs;
    try {
      note(0, 0);
      taken();
      yield writer.opened(encodePlaces(places));
      while (!signal.aborted) {
        if (clock.monotonicMs() - authorizedMs >= CHANGE_FEED_BOUNDS.authorizationMs) {
          await authorize();
          authorizedMs = clock.monotonicMs();
        }
        if (request.stopping.aborted) throw gridError('STOPPING');
        const seen: number[] = [];
        let hasMore = false;
        for (const database of databases) {
          const page = this.#read(request, filter, places, database);
          seen.push(page.commits);
          hasMore ||= page.hasMore;
          if (page.text === '') continue;
          note(page.changes, page.text.length);
          yield page.text;
          taken();
          sentMs = clock.monotonicMs();
          notBeforeMs = sentMs + PAGE_INTERVAL_MS;
        }
        if (hasMore) {
          // The thread's other requests run between pages.
          await new Promise<void>((resolve) => clock.nextTick(resolve));
          continue;
        }
        if (!request.follows) {
          yield writer.ended(encodePlaces(places), 'complete', null);
          return;
        }
        if (clock.monotonicMs() - sentMs >= heartbeatMs) {
          note(0, 0);
          yield writer.heartbeat(encodePlaces(places));
          taken();
          sentMs = clock.monotonicMs();
        }
        const untilMs = Math.min(sentMs + heartbeatMs, authorizedMs + CHANGE_FEED_BOUNDS.authorizationMs);
        await this.#waiters.wait({ databases, seen, notBeforeMs, untilMs }, signal, request.stopping);
      }
    } catch (error) {
      const reason = endReasonOf(error);
      if (reason === 'lost') entry.lost();
      yield writer.ended(encodePlaces(places), reason, error);
    } finally {
      entry.leave();
    }
  }

  /** Reads the next page of a database, and moves the place after it. */
  #read(request: WatchRequest, filter: FeedFilter, places: Places, database: number): WrittenPage {
    const place = places.get(database);
    if (place === undefined) throw new TypeError(`database ${database} is not watched`);
    const { key, writer, sharing } = request;
    // The positions of a page also name the places in the other databases.
    const others = [...places].map(([each, { position }]) =>
      each === database ? place.position : `${each}:${position}`,
    );
    const name = sharing === undefined ? undefined : `${place.file} ${others.join(' ')} ${sharing}`;
    let page = name === undefined ? undefined : this.#pages.get(name);
    // Another consumer read the page earlier: changes may have been committed since, which an ending stream needs.
    const mayHaveMore = page !== undefined && !request.follows;
    if (page === undefined) {
      const commits = this.#options.shared.commits(database);
      const read = this.#reader.page(database, place, filter, encodePlaces(places));
      let text = '';
      let changes = 0;
      const isAlone = places.size === 1;
      for (const { position, change } of read.changes) {
        if (key !== undefined && change.key !== undefined && !equalValues(change.key, key)) continue;
        text += writer.change(change, isAlone ? `${place.file}.${position}` : encodePlaces(places, database, position));
        changes++;
      }
      page = { text, changes, end: read.end, hasMore: read.hasMore, commits };
      if (name !== undefined && read.end > place.position) this.#pages.set(name, page);
    }
    places.set(database, { ...place, position: page.end });
    return mayHaveMore ? { ...page, hasMore: true } : page;
  }
}

/** Returns the position for places; with `database`, the position of a change in it. */
function encodePlaces(places: Places, database?: number, position?: number): string {
  if (places.size === 1) {
    for (const [, place] of places) return `${place.file}.${position ?? place.position}`;
  }
  return encodePosition(
    Array.from(places, ([each, place]) => [
      place.file,
      each === database && position !== undefined ? position : place.position,
    ]),
  );
}
