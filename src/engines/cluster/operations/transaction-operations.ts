/** Operations of transactions (docs/spec/ignite-wire.md 3). */
import { nothing, type Operation } from './operation.ts';

/** Changes are checked when the transaction is committed: no operation waits for another transaction. */
const OPTIMISTIC = 0;
/** The commit fails if another transaction has changed something that this one read. */
const SERIALIZABLE = 2;
const NO_LABEL = 101;

export const TRANSACTION = {
  /** Returns the id of a transaction, which belongs to its connection. */
  start: {
    name: 'startTransaction',
    code: 4000,
    // An abandoned transaction ends with its connection, or at its time limit.
    retry: 'read',
    write(writer, { timeoutMs }) {
      writer.u8(OPTIMISTIC);
      writer.u8(SERIALIZABLE);
      writer.i64(BigInt(timeoutMs));
      writer.u8(NO_LABEL);
    },
    read: (reader) => reader.i32(),
  } satisfies Operation<{ readonly timeoutMs: number }, number>,
  end: {
    name: 'endTransaction',
    code: 4001,
    retry: 'once',
    write(writer, { id, commits }) {
      writer.i32(id);
      writer.u8(commits ? 1 : 0);
    },
    read: nothing,
  } satisfies Operation<{ readonly id: number; readonly commits: boolean }, void>,
};
