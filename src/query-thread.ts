/** Entry of a query thread, where no process can run statements. */
import type { QueryThreadMessage } from './wiring/query-hosts.ts';
import { lowerThreadPriority } from './wiring/thread-priority.ts';

declare const self: Worker;

// Before the rest is loaded, which keeps a processor busy.
lowerThreadPriority();
const start = import('./query-thread-start.ts');

self.onmessage = async ({ data }: MessageEvent<QueryThreadMessage>) => {
  const { receive } = await start;
  await receive(data);
};
