/** The error of a transaction. */
import type { GridError } from '../base/errors.ts';

/** Thrown when a step of a transaction fails, or its condition is not met. Nothing has been changed. */
export class TransactionAborted extends Error {
  /** Index of the step. */
  readonly step: number;
  readonly reason: GridError;

  constructor(step: number, reason: GridError) {
    super(reason.message, { cause: reason });
    this.name = 'TransactionAborted';
    this.step = step;
    this.reason = reason;
  }
}
