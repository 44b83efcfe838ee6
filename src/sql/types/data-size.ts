/** The memory that values occupy. */
import { isDecimal } from './decimal.ts';
import type { SqlData } from './sql-types.ts';

/** Returns the approximate size of a value in bytes of memory. */
export function sizeOf(data: SqlData): number {
  if (typeof data === 'string') return 32 + 2 * data.length;
  if (data instanceof Uint8Array) return 64 + data.length;
  if (Array.isArray(data)) return data.reduce((sum: number, item: SqlData) => sum + sizeOf(item), 32);
  // A cell of the heap, and a slot in an array that grows by copying.
  if (typeof data === 'bigint') return 48;
  return isDecimal(data) ? 96 + (data.unscaled >> 64n === 0n ? 0 : data.unscaled.toString(16).length / 2) : 16;
}
