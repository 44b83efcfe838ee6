/**
 * Bounds the memory of all statement processes together. The limits of all processes would add up to too much, and a
 * client needs only a few connections to reach it. Runs in the main thread.
 */
import { GuardUsage } from '../native/statement-guard.ts';
import { MIN_GROWTH_BYTES, residentBytesOf } from '../shared/resident-memory.ts';
import { type SharedQueryState, STATEMENT_PROCESSES } from '../shared/shared-query-state.ts';

/**
 * While ended statements have not returned their memory, others are ended only if all together have this
 * multiple of the limit.
 */
const WITH_ENDED = 1.25;

/** A statement process, and its memory before its first statement, in bytes. */
export interface MeasuredProcess {
  readonly index: number;
  readonly processId: number;
  readonly begunBytes: number;
}

export class MemoryBudget {
  readonly #queryState: SharedQueryState;
  readonly #usages: readonly GuardUsage[];
  readonly #totalBytes: number;
  readonly #bytesOf: (processId: number) => number;

  /** `totalBytes` is the maximum growth of all processes together; 0 for any. */
  constructor(
    queryState: SharedQueryState,
    totalBytes: number,
    bytesOf: (processId: number) => number = residentBytesOf,
  ) {
    const { memory } = queryState;
    this.#queryState = queryState;
    this.#usages = Array.from({ length: STATEMENT_PROCESSES }, (_, index) => {
      return new GuardUsage(memory, queryState.guardOffset(index));
    });
    this.#totalBytes = totalBytes;
    this.#bytesOf = bytesOf;
  }

  /**
   * Ends the statement that has grown most if all processes together exceed the limit. Processes without a statement or
   * cursors do not count, because they are returning their memory. Called every few milliseconds.
   */
  check(processes: readonly MeasuredProcess[]): void {
    if (this.#totalBytes === 0 || !processes.some(({ index }) => this.#usages[index]?.isBounded === true)) return;
    let endedBytes = 0;
    let otherBytes = 0;
    let greatest: { readonly usage: GuardUsage; readonly bytes: number } | undefined;
    for (const { index, processId, begunBytes } of processes) {
      const usage = this.#usages[index];
      const isRunning = usage?.isBounded === true;
      if (!isRunning && this.#queryState.cursorsOf(index) === 0) continue;
      const residentBytes = this.#bytesOf(processId);
      const bytes = Math.max(0, residentBytes - begunBytes);
      if (isRunning && usage.isEndedShared) {
        endedBytes += bytes;
        continue;
      }
      otherBytes += bytes;
      const ownBytes = isRunning ? residentBytes - Math.max(begunBytes, usage.begunBytes) : 0;
      if (isRunning && ownBytes >= (greatest?.bytes ?? MIN_GROWTH_BYTES)) greatest = { usage, bytes: ownBytes };
    }
    if (otherBytes > this.#totalBytes || endedBytes + otherBytes > WITH_ENDED * this.#totalBytes) {
      greatest?.usage.endShared();
    }
  }
}
