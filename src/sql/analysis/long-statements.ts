/** Analyses long statements in slices, so that a megabyte of brackets does not stall the other requests of a thread. */

import type { Clock } from '../../base/clock.ts';
import { SQL_BOUNDS } from '../../base/limits.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { SliceQueue } from '../../base/slices.ts';
import { analysisAtHand, analysisOf, hold, type StatementAnalysis } from './analysis.ts';
import { OutlineScan } from './outline.ts';

/** Returns whether a statement should be analysed by {@link LongStatements} before the request is executed. */
export function isLongStatement({ length }: string): boolean {
  return length > SQL_BOUNDS.keptCharacters;
}

export class LongStatements {
  readonly #queue: SliceQueue;

  constructor(clock: Clock) {
    this.#queue = new SliceQueue(clock);
  }

  /**
   * Analyses a statement once, calls `use`, and holds the analysis for `analyze` until the result is there. Scans one
   * statement at a time, in order of arrival. Rejects with REQUEST_TIMEOUT when `signal` aborts during the scan.
   */
  async analyzed<T>(sql: string, signal: AbortSignal, use: () => MaybePromise<T>): Promise<T> {
    using _held = hold(sql, analysisAtHand(sql) ?? (await this.#scan(sql, signal)));
    return await use();
  }

  #scan(sql: string, signal: AbortSignal): Promise<StatementAnalysis> {
    return this.#queue.enqueue(signal, async (run) => {
      const known = analysisAtHand(sql);
      if (known !== undefined) return known;
      const scan = new OutlineScan(sql);
      await run(scan);
      return analysisOf(sql, scan);
    });
  }
}
