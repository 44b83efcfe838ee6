/**
 * The resources that one statement or scan may use. The options `query.*` set them; every engine
 * enforces those that it can.
 */
import { gridError } from '../base/errors.ts';
import type { Tenant } from '../base/shares.ts';

/** The time limits of a budget. */
export type TimeBudget = Pick<ReadBudget, 'timeMs' | 'maxTimeMs'>;

/** The parts of a budget that every engine enforces. */
export interface ReadBudget {
  /** Time limit per page if the request sets none, in ms, or 0 for none. */
  readonly timeMs: number;
  /** Longest time limit of a statement whose sender is not an administrator, in ms, or 0 for any. */
  readonly maxTimeMs: number;
  /** Bytes of rows that all pages of a statement return, or 0 for any number. */
  readonly resultBytes: number;
}

/** The budget of one statement. */
export interface StatementBudget extends ReadBudget {
  /** Memory in bytes, or 0 for any amount. */
  readonly memoryBytes: number;
  /** Memory of all running statements together, in bytes, or 0 for any amount. */
  readonly totalMemoryBytes: number;
  /** Bytes written to temporary files, or 0 for any number. */
  readonly diskBytes: number;
  /** Time for which it may hold the write lock, in ms, or 0 for any. */
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

/** Returns the budget of an export, which reads a whole table: its time and its size are unlimited. */
export function exportBudget(budget: StatementBudget): StatementBudget {
  return { ...budget, timeMs: 0, maxTimeMs: 0, resultBytes: 0 };
}

/** Returns the budget for a tenant's statements: the longest time limit does not apply to administrators. */
export function boundedFor<B extends TimeBudget>(budget: B, { isAdministrator }: Pick<Tenant, 'isAdministrator'>): B {
  return isAdministrator ? { ...budget, maxTimeMs: 0 } : budget;
}

/** Returns the time limit of a statement whose request sets `requestedMs` (0 for none), in ms, or 0 for none. */
export function timeLimitMs({ timeMs, maxTimeMs }: TimeBudget, requestedMs: number): number {
  const limitMs = requestedMs > 0 ? requestedMs : timeMs;
  if (maxTimeMs === 0) return limitMs;
  return limitMs === 0 ? maxTimeMs : Math.min(limitMs, maxTimeMs);
}

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

/** Adds rows to the `used` bytes of a result and returns the sum. Throws QUERY_RESULT_BYTES. */
export function addResultBytes({ resultBytes }: Pick<ReadBudget, 'resultBytes'>, used: number, text: string): number {
  if (resultBytes === 0) return 0;
  const sum = used + Buffer.byteLength(text);
  if (sum > resultBytes) throw gridError('QUERY_RESULT_BYTES', resultBytes);
  return sum;
}

/** Returns the number of characters that fit into any result, whatever they are. */
export function uncountedCharacters({ resultBytes }: Pick<ReadBudget, 'resultBytes'>): number {
  return resultBytes === 0 ? Number.POSITIVE_INFINITY : Math.floor(resultBytes / UNIT_BYTES);
}

/** Throws QUERY_MEMORY if a statement may not use this many bytes. */
export function checkMemoryBytes({ memoryBytes }: Pick<StatementBudget, 'memoryBytes'>, bytes: number): void {
  if (memoryBytes > 0 && bytes > memoryBytes) throw gridError('QUERY_MEMORY', memoryBytes);
}
