/** A worker that watches the control block of another thread. */
import { GuardWatch } from './statement-guard.ts';

declare const self: Worker;

const WATCH_MS = 10;

self.onmessage = ({ data: [library, memory] }: MessageEvent<[string, SharedArrayBuffer]>) => {
  const watch = new GuardWatch(library, memory, 0, 1);
  setInterval(() => watch.look(), WATCH_MS);
  self.postMessage('watching');
};
