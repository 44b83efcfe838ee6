/**
 * The change feed in front of a cluster. Nodes record no changes, so a stream begins now and cannot be resumed. A
 * bounded number of bytes is buffered for a consumer that does not read; then its stream ends.
 */
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../../base/limits.ts';
import type { ConsumerEntry, Consumers } from '../../../grid/change-consumers.ts';
import {
  type Change,
  type ChangeFeed,
  type ConsumerInfo,
  endReasonOf,
  type FeedStatistics,
  FROM_NOW,
  type WatchRequest,
} from '../../../grid/change-feed.ts';
import { equalValues } from '../../../values/equality.ts';
import { type ChangeListener, ContinuousQueries, type ContinuousQueryOptions } from './continuous-queries.ts';

export interface ClusterFeedOptions extends ContinuousQueryOptions {
  /** The service's consumers, across its users' grids. */
  readonly consumers: Consumers;
  /** Creates the default cache if this is its name. */
  ensureCache(name: string): Promise<void>;
}

const NO_RECORD = 'the nodes of a cluster record no changes';

export class ClusterFeed implements ChangeFeed {
  readonly isResumable = false;
  readonly #options: ClusterFeedOptions;
  readonly #queries: ContinuousQueries;

  constructor(options: ClusterFeedOptions) {
    this.#options = options;
    this.#queries = new ContinuousQueries(options);
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<string>> {
    const { clock, consumers, ensureCache } = this.#options;
    const { caches, from } = request;
    if (from !== FROM_NOW)
      throw gridError('NOT_SUPPORTED', `from=${from}`, `${NO_RECORD} that a stream could resume from`);
    if (caches === undefined) {
      throw gridError('NOT_SUPPORTED', 'cacheName=*', 'in front of a cluster, a stream is of the caches that it names');
    }
    const names = [...new Set(caches)];
    const entry = consumers.enter(request.tenant.key, {
      owner: request.owner,
      caches: names.join(', '),
      startedAtMs: clock.nowMs(),
      database: 0,
    });
    const unsubscribe: Array<() => void> = [];
    const waiting = new WaitingChanges(request, () => {
      entry.lost();
      for (const each of unsubscribe) each();
    });
    const leave = (): void => {
      for (const each of unsubscribe) each();
      entry.leave();
    };
    try {
      for (const name of names) {
        await ensureCache(name);
        unsubscribe.push(await this.#queries.subscribe(name, waiting));
      }
    } catch (error) {
      leave();
      throw error;
    }
    return this.#stream(request, waiting, entry, leave);
  }

  position(): undefined {
    return undefined;
  }

  waitFor(): never {
    throw gridError('NOT_SUPPORTED', 'Wait-For-Position', NO_RECORD);
  }

  async setRecorded(): Promise<void> {
    throw gridError('NOT_SUPPORTED', 'the change feed', NO_RECORD);
  }

  consumers(): readonly ConsumerInfo[] {
    return this.#options.consumers.list().map(({ database: _, position, ...consumer }) => ({
      ...consumer,
      behind: position,
    }));
  }

  statistics(): FeedStatistics {
    return { ...this.#options.consumers.counts(), keptBytes: undefined };
  }

  close(): void {
    this.#queries.close();
  }

  async *#stream(
    request: WatchRequest,
    waiting: WaitingChanges,
    entry: ConsumerEntry,
    leave: () => void,
  ): AsyncGenerator<string> {
    const { writer, signal, stopping, heartbeatMs, follows, authorize } = request;
    const { clock } = this.#options;
    const note = (changes: number, bytes: number): void => entry.sent(changes, bytes, clock.nowMs(), waiting.changes);
    let sentMs = clock.monotonicMs();
    let authorizedMs = sentMs;
    try {
      note(0, 0);
      yield writer.opened(undefined);
      while (!signal.aborted) {
        if (clock.monotonicMs() - authorizedMs >= CHANGE_FEED_BOUNDS.authorizationMs) {
          await authorize();
          authorizedMs = clock.monotonicMs();
        }
        if (stopping.aborted) throw gridError('STOPPING');
        const { text, changes } = waiting.take();
        if (text !== '') {
          note(changes, text.length);
          yield text;
          sentMs = clock.monotonicMs();
          continue;
        }
        if (waiting.failure !== undefined) throw waiting.failure;
        if (!follows) {
          yield writer.ended(undefined, 'complete', null);
          return;
        }
        if (clock.monotonicMs() - sentMs >= heartbeatMs) {
          note(0, 0);
          yield writer.heartbeat(undefined);
          sentMs = clock.monotonicMs();
        }
        const untilMs = Math.min(sentMs + heartbeatMs, authorizedMs + CHANGE_FEED_BOUNDS.authorizationMs);
        await waiting.wait(clock, untilMs, signal, stopping);
      }
    } catch (error) {
      yield writer.ended(undefined, endReasonOf(error), error);
    } finally {
      leave();
    }
  }
}

/** The changes that a consumer has not read yet, as text. */
class WaitingChanges implements ChangeListener {
  readonly #request: WatchRequest;
  #text = '';
  #changes = 0;
  #failure: unknown;
  #wake: () => void = () => {};
  readonly #onSlow: () => void;

  /** `onSlow` is called if too much is buffered. Nothing follows after that. */
  constructor(request: WatchRequest, onSlow: () => void) {
    this.#request = request;
    this.#onSlow = onSlow;
  }

  get changes(): number {
    return this.#changes;
  }

  /** The reason why nothing follows, or undefined while the stream continues. */
  get failure(): unknown {
    return this.#failure;
  }

  changed(change: Change): void {
    const { key, operations, withOldValue, writer } = this.#request;
    if (operations?.has(change.operation) === false) return;
    if (key !== undefined && change.key !== undefined && !equalValues(change.key, key)) return;
    const { oldValue: _, ...withoutOldValue } = change;
    this.#add(writer.change(withOldValue ? change : withoutOldValue, undefined));
    this.#changes++;
  }

  gap(cache: string, reason: string): void {
    this.#add(this.#request.writer.gap(cache, reason));
  }

  ended(error: unknown): void {
    this.#failure ??= error;
    this.#wake();
  }

  /** Returns the buffered changes, and clears the buffer. */
  take(): { readonly text: string; readonly changes: number } {
    const taken = { text: this.#text, changes: this.#changes };
    this.#text = '';
    this.#changes = 0;
    return taken;
  }

  /** Resolves when something is buffered, when a signal aborts, or at a time. */
  wait(clock: Clock, untilMs: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (this.#text !== '' || this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        for (const signal of signals) signal.removeEventListener('abort', end);
        this.#wake = () => {};
        resolve();
      };
      const timer = clock.after(Math.max(0, untilMs - clock.monotonicMs()), end);
      for (const signal of signals) signal.addEventListener('abort', end, { once: true });
      // The other changes of the tick are sent with this one.
      this.#wake = () => clock.endOfTick(end);
    });
  }

  #add(text: string): void {
    if (this.#failure !== undefined) return;
    if (this.#text.length + text.length > CHANGE_FEED_BOUNDS.waitingBytes) {
      this.#text = '';
      this.#changes = 0;
      this.#failure = gridError('CHANGE_CONSUMER_SLOW', CHANGE_FEED_BOUNDS.waitingBytes);
      this.#onSlow();
    } else {
      this.#text += text;
    }
    this.#wake();
  }
}
