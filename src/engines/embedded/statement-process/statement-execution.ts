/** The execution of a statement in a query thread, as the history counts it. */
import type { Clock } from '../../../base/clock.ts';
import type { StatementHistory } from '../shared/statement-history.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import type { StatementWatch } from './statement-watch.ts';

export class StatementExecution {
  readonly #history: StatementHistory;
  readonly #query: SentQuery;
  readonly #clock: Clock;
  readonly #watch: StatementWatch;
  readonly #startMs: number;
  #schema: string | undefined;
  /** Time until the statement had begun, as far as the watch did not measure it. */
  #beginMs = 0;
  #changedRows: number | undefined;

  constructor(history: StatementHistory, query: SentQuery, clock: Clock, watch: StatementWatch) {
    this.#history = history;
    this.#query = query;
    this.#clock = clock;
    this.#watch = watch;
    this.#startMs = clock.monotonicMs();
  }

  /** Notes that the statement is valid. Others are not counted. */
  prepared(schema: string): void {
    this.#schema = schema;
  }

  /** Notes that the statement has begun, and how many rows it has changed. */
  begun(changedRows: bigint | undefined): void {
    this.#beginMs = this.#elsewhereMs();
    if (changedRows !== undefined) this.#changedRows = Number(changedRows);
  }

  /** Counts the statement, whose cursor has closed. */
  ended(failed: boolean): void {
    this.#note(failed, this.#beginMs);
  }

  /** Counts the statement, which has failed before it had begun. */
  failed(): void {
    this.#note(true, this.#elsewhereMs());
  }

  #elsewhereMs(): number {
    return Math.max(0, this.#clock.monotonicMs() - this.#startMs - this.#watch.usedMs);
  }

  #note(failed: boolean, beginMs: number): void {
    const query = this.#query;
    if (query.kind === 'scan' || this.#schema === undefined) return;
    this.#history.note({
      schema: this.#schema,
      sql: query.sql,
      failed,
      startedAtMs: query.sentAtMs,
      durationMs: beginMs + this.#watch.usedMs,
      rows: this.#changedRows ?? this.#watch.rows,
    });
  }
}
