/** Entry of the thread that writes the write-ahead logs back, which waits for the disk. */
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
