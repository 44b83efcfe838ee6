/**
 * The statements that a query thread has been sent. They run one after the other, those of several claimants in turn.
 */
import { FairQueue } from '../../../base/fair-queue.ts';
import { claimantOf, type PageChunk, type SentQuery } from './query-protocol.ts';
import type { SharedQueryState } from './shared-query-state.ts';

interface Waiting {
  readonly query: SentQuery;
  readonly resolve: (page: PageChunk | null | Promise<PageChunk>) => void;
}

/** Runs statements; {@link settled} resolves when the thread may begin the next one. */
export interface StatementRunner {
  execute(query: SentQuery): Promise<PageChunk>;
  readonly settled: Promise<unknown>;
}

export class StatementQueue {
  readonly #runner: StatementRunner;
  readonly #queryState: SharedQueryState;
  readonly #thread: number;
  /** Bounded by the requests that may be in work. */
  readonly #waiting = new FairQueue<Waiting>(Number.POSITIVE_INFINITY);
  #isRunning = false;

  constructor(runner: StatementRunner, queryState: SharedQueryState, thread: number) {
    this.#runner = runner;
    this.#queryState = queryState;
    this.#thread = thread;
  }

  /** Runs a statement after those before it; its page is null when another thread has claimed it meanwhile. */
  execute(query: SentQuery): Promise<PageChunk | null> {
    const { promise, resolve } = Promise.withResolvers<PageChunk | null>();
    this.#waiting.push(claimantOf(query), { query, resolve });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { query, resolve } = next;
      if (!this.#queryState.claim(query.ticket, this.#thread)) {
        resolve(null);
        continue;
      }
      this.#queryState.setRunning(this.#thread, claimantOf(query));
      const page = this.#runner.execute(query);
      resolve(page);
      await page.then(ignore, ignore);
      await this.#runner.settled;
      this.#queryState.setRunning(this.#thread, undefined);
    }
    this.#isRunning = false;
  }
}

function ignore(): void {}
