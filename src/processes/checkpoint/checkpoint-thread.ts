/**
 * Entry of the checkpoint thread, which writes the write-ahead logs back to the database files.
 *
 * Runs: one call at a time, `writeLogBack`, which waits for the disk and for readers. The main thread must not wait for
 * them, and statement processes never write a log back, because closing a file would do so without being asked. Owns:
 * nothing beyond a call: it opens a connection for each and closes it. Started by checkpointer.ts in the main thread,
 * which decides when: after a log has grown, after a long change or a period; it first makes cursors leave the log.
 * Ends: when it was idle for a few seconds, or with the process. A call interrupted by that is repeated later; SQLite
 * leaves the log valid.
 */
import { systemClock as clock } from '../../base/clock.ts';
import { RpcChannel } from '../../base/rpc-channel.ts';
import { type CheckpointMethods, writeLogBack } from '../../engines/embedded/storage/checkpoints.ts';
import { portOf } from '../../wiring/thread-port.ts';
import { lowerThreadPriority } from './thread-priority.ts';

declare const self: Worker;

lowerThreadPriority();

/** The only message is the port over which the thread serves. */
self.onmessage = ({ data }: MessageEvent<MessagePort>) => {
  const channel = new RpcChannel<Record<string, never>, CheckpointMethods>(portOf(data), clock);
  channel.serve('writeLogBack', writeLogBack);
};
