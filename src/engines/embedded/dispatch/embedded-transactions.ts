/** Implements the port's transactions over the process for changes. */
import type {
  QueryPage,
  StatementQuery,
  TransactionOptions,
  TransactionResult,
  TransactionStep,
  Transactions,
} from '../../../grid/grid.ts';
import { rowWriter } from '../../../grid/row-writers.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { isRows, type PlainResult, type StepResult, type StepRows } from '../shared/statement-protocol.ts';
import { decodeResults } from '../shared/transaction-records.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { StatementRouter } from './statement-router.ts';

export class EmbeddedTransactions implements Transactions {
  readonly #router: Pick<StatementRouter, 'transact'>;
  readonly #changes: ChangeChannel;
  readonly #onSend: ((value: Value) => Value) | undefined;

  constructor(
    router: Pick<StatementRouter, 'transact'>,
    changes: ChangeChannel,
    onSend: ((value: Value) => Value) | undefined,
  ) {
    this.#router = router;
    this.#changes = changes;
    this.#onSend = onSend;
  }

  async run(steps: readonly TransactionStep[], options: TransactionOptions): Promise<readonly TransactionResult[]> {
    const { queryId, results } = await (options.once === undefined
      ? this.#router.transact(steps, options)
      : this.#transactOnce(steps, options, options.once));
    return results.map((result, index) => {
      const call = steps[index]?.call;
      return isRows(result) && call?.kind === 'statement'
        ? this.#page(queryId, call.query, result)
        : plainResult(result);
    });
  }

  /** Runs a transaction while no other request with its key is running. */
  async #transactOnce(
    steps: readonly TransactionStep[],
    options: TransactionOptions,
    { key, onReplay }: NonNullable<TransactionOptions['once']>,
  ) {
    const claimed = await this.#changes.submit('claimKey', { key });
    if ('answer' in claimed) {
      onReplay();
      return decodeResults(claimed.answer);
    }
    try {
      const end = await this.#router.transact(steps, options, claimed);
      if (end.replayed) onReplay();
      return end;
    } finally {
      await this.#changes.submit('releaseKey', { key });
    }
  }

  #page(queryId: number, { notation }: StatementQuery, { columns, rows, rowCount }: StepRows): QueryPage {
    const end = () => ({ last: true, rowCount });
    if (typeof rows === 'string') return { queryId, columns, rows, end };
    const writer = rowWriter('json', 'array', columns, notation);
    const sent = (value: Value = NULL): Value =>
      value.type === 'null' || this.#onSend === undefined ? value : this.#onSend(value);
    const texts = rows.map((row) => writer.write((index) => sent(row[index])));
    return { queryId, columns, rows: texts.join(','), end };
  }
}

/** Returns the result of a step that is not a statement. */
function plainResult(result: StepResult): PlainResult {
  if (isRows(result)) throw new TypeError('rows of a step that is not a statement');
  return result;
}
