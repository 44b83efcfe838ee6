/**
 * Bounds the memory of all statements that run at once. The bound of each alone would allow the sum of them, and a
 * client needs no more than a few connections to reach it. Runs in the main thread.
 */
import { readFileSync } from 'node:fs';
import { HeapHelper } from '../../native/page-faults.ts';
import { GuardUsage } from '../../native/statement-guard.ts';
import { QUERY_THREADS, type SharedQueryState } from '../shared-query-state.ts';

/** Unit of the files of /proc. */
const PAGE_BYTES = 4096;
/** A statement with a smaller part of the bound is not ended: others caused the growth. */
const LEAST_PART = 1 / 32;
/** A statement whose own pages are a smaller part of its bound is not ended for those that the helper has taken. */
const LEAST_OWN = 1 / 4;
/**
 * While ended statements have not returned their memory, the others are ended only when all of them together have this
 * multiple of the bound.
 */
const WITH_ENDED = 1.25;

/** Returns the resident memory of the process without mapped files, in bytes; 0 where the system does not tell it. */
export function residentBytes(): number {
  try {
    const [, resident = '0', shared = '0'] = readFileSync('/proc/self/statm', 'utf8').split(' ', 3);
    return (Number(resident) - Number(shared)) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

export class MemoryBudget {
  readonly #usages: readonly GuardUsage[];
  readonly #totalBytes: number;
  readonly #processFaults: () => number;
  readonly #helper = new HeapHelper();
  /** Page faults of the helper when statements began to run; undefined: none runs. */
  #begunHelperFaults: number | undefined;

  /**
   * `totalBytes` is the maximum growth of the process by running statements; 0: any. `processFaults` returns the minor
   * page faults of the process.
   */
  constructor(queryState: SharedQueryState, totalBytes: number, processFaults: () => number) {
    const { memory } = queryState;
    const usages: GuardUsage[] = [];
    for (let thread = 0; thread < QUERY_THREADS && totalBytes > 0; thread++) {
      usages.push(new GuardUsage(memory, queryState.guardOffset(thread)));
    }
    this.#usages = usages;
    this.#totalBytes = totalBytes;
    this.#processFaults = processFaults;
  }

  /**
   * Ends statements that exceed their own bounds, and the one with the most memory if all together exceed theirs.
   * Called every few milliseconds.
   */
  check(): void {
    const running = this.#usages.filter((usage) => usage.isBounded);
    if (running.length === 0) {
      this.#begunHelperFaults = undefined;
      return;
    }
    const helperFaults = this.#helper.faults();
    this.#begunHelperFaults ??= helperFaults;
    // The earliest page began with the least memory.
    const begunBytes = Math.min(...running.map(({ begun }) => begun.residentBytes));
    const grownBytes = residentBytes() - begunBytes;
    if (grownBytes <= Math.min(this.#totalBytes, ...running.map(({ limitBytes }) => limitBytes))) return;
    // The system counts memory for the whole process: page faults show who has taken it.
    const faults = this.#processFaults() - Math.min(...running.map(({ begun }) => begun.faults));
    const counted = running.map((usage) => ({ usage, own: usage.faults() }));
    const ownFaults = counted.reduce((sum, { own }) => sum + own, 0);
    // The helper takes pages on behalf of the threads that run statements.
    const weight = 1 + Math.max(0, helperFaults - this.#begunHelperFaults) / Math.max(1, ownFaults);
    const shares = counted
      .map(({ usage, own }) => ({ usage, bytes: (grownBytes * own * weight) / Math.max(1, faults) }))
      .toSorted((a, b) => b.bytes - a.bytes);
    for (const { usage, bytes } of shares) {
      // The statement itself counts without the helper, which may also work for others.
      if (!usage.isEndedShared && bytes > usage.limitBytes && bytes > LEAST_OWN * weight * usage.limitBytes) {
        usage.endOwn();
      }
    }
    if (running.length < 2 || grownBytes <= this.#totalBytes) return;
    const left = shares.filter(({ usage }) => !usage.isEndedShared);
    const [greatest] = left;
    if (greatest === undefined || greatest.bytes < LEAST_PART * this.#totalBytes) return;
    // What other work of the process takes beside a long statement is not theirs.
    const isOver = sumOf(left) > this.#totalBytes || sumOf(shares) > WITH_ENDED * this.#totalBytes;
    if (isOver) greatest.usage.endShared();
  }
}

function sumOf(shares: ReadonlyArray<{ readonly bytes: number }>): number {
  return shares.reduce((sum, { bytes }) => sum + bytes, 0);
}
