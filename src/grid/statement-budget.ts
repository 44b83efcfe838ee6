/** What one statement or scan may use. The options `query.*` set it; every engine enforces the parts that it can. */
import { fail } from '../base/errors.ts';
import type { Tenant } from '../base/shares.ts';

/** The time limits of a budget. */
export type TimeBudget = Pick<ReadBudget, 'timeMs' | 'maxTimeMs'>;

/** The parts of a budget that every engine enforces. */
export interface ReadBudget {
  /** Time limit of each page where the request sets none, in ms; 0: none. */
  readonly timeMs: number;
  /** Longest time limit of a statement whose sender is no administrator, in ms; 0: any. */
  readonly maxTimeMs: number;
  /** Bytes of the rows that all pages of a statement return; 0: any. */
  readonly resultBytes: number;
}

/** The budget of one statement. */
export interface StatementBudget extends ReadBudget {
  /** Memory in bytes; 0: any. */
  readonly memoryBytes: number;
  /** Memory of all statements that run at once in bytes; 0: any. */
  readonly totalMemoryBytes: number;
  /** Bytes written to temporary files; 0: any. */
  readonly diskBytes: number;
  /** Time for which it may hold the write lock, in ms; 0: any. */
  readonly writeLockMs: number;
}

export const UNLIMITED: StatementBudget = {
  timeMs: 0,
  maxTimeMs: 0,
  resultBytes: 0,
  memoryBytes: 0,
  totalMemoryBytes: 0,
  diskBytes: 0,
  writeLockMs: 0,
};

/** Returns the budget of an export, which reads a whole table: its time and the size of its result have no limits. */
export function exportBudget(budget: StatementBudget): StatementBudget {
  return { ...budget, timeMs: 0, maxTimeMs: 0, resultBytes: 0 };
}

/** Returns the budget of what a tenant runs: the longest time limit does not apply to administrators. */
export function boundedFor<B extends TimeBudget>(budget: B, { isAdministrator }: Pick<Tenant, 'isAdministrator'>): B {
  return isAdministrator ? { ...budget, maxTimeMs: 0 } : budget;
}

/** Returns the time limit of a statement whose request sets `requestedMs` (0: none), in ms; 0: none. */
export function timeLimitMs({ timeMs, maxTimeMs }: TimeBudget, requestedMs: number): number {
  const limitMs = requestedMs > 0 ? requestedMs : timeMs;
  if (maxTimeMs === 0) return limitMs;
  return limitMs === 0 ? maxTimeMs : Math.min(limitMs, maxTimeMs);
}

/** Bytes that a UTF-16 unit has in UTF-8 at most. */
const UNIT_BYTES = 3;

/** Adds the text of rows to the `used` bytes of a result and returns the sum. Throws QUERY_RESULT_BYTES. */
export function addResultBytes({ resultBytes }: Pick<ReadBudget, 'resultBytes'>, used: number, text: string): number {
  if (resultBytes === 0) return 0;
  const sum = used + Buffer.byteLength(text);
  if (sum > resultBytes) throw fail('QUERY_RESULT_BYTES', resultBytes);
  return sum;
}

/** Returns how many characters every result may have, whatever they are. */
export function uncountedCharacters({ resultBytes }: Pick<ReadBudget, 'resultBytes'>): number {
  return resultBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(resultBytes / UNIT_BYTES);
}

/** Throws QUERY_MEMORY when a statement may not use so many bytes. */
export function checkMemoryBytes({ memoryBytes }: Pick<StatementBudget, 'memoryBytes'>, bytes: number): void {
  if (memoryBytes > 0 && bytes > memoryBytes) throw fail('QUERY_MEMORY', memoryBytes);
}
