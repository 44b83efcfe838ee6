/** A thread that takes requests from one bucket; answers how many were admitted. */
import { ManualClock } from './manual-clock.ts';
import { SharedRates } from './shared-rates.ts';

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => {
  const rates = new SharedRates(new ManualClock(), data);
  let admitted = 0;
  for (let each = 0; each < 20_000; each++) {
    if (rates.take('a', { requests: 10_000, windowMs: 60_000 }).admitted) admitted++;
  }
  postMessage(admitted);
};
