/**
 * A worker thread of bench/writers.ts: opens an embedded engine in a folder of its own and stores entries, so many in
 * each commit, until its time is over. Posts `ready`, then waits for a message and posts the number of stored entries.
 */
import { systemClock } from '../src/base/clock.ts';
import { openEmbeddedGrid } from '../src/engines/embedded/embedded-grid.ts';
import { text } from '../src/values/value.ts';
import type { WriterPlan } from './writers.ts';

declare const self: Worker;

const KEYS = 1_000;

self.onmessage = async ({ data }: MessageEvent<WriterPlan>) => {
  const { dataDir, region, perCommit, durationMs } = data;
  const regions = [{ name: 'memory', persistent: false }];
  const grid = await openEmbeddedGrid({ dataDir, clock: systemClock, version: 'bench', regions });
  await grid.caches.getOrCreate('entries', { region });
  const keys = Array.from({ length: KEYS }, (_, number) => text(`key-${number}`));
  const value = text('another value');
  let stored = 0;
  const store = async (): Promise<void> => {
    const puts = Array.from({ length: perCommit }, () => {
      const key = keys[stored++ % KEYS] ?? value;
      return grid.entries.put('entries', key, value);
    });
    await Promise.all(puts);
  };
  for (let commit = 0; commit < 200; commit++) await store();
  const isStarted = Promise.withResolvers<void>();
  self.onmessage = () => isStarted.resolve();
  self.postMessage('ready');
  await isStarted.promise;
  stored = 0;
  const startMs = systemClock.monotonicMs();
  while (systemClock.monotonicMs() - startMs < durationMs) await store();
  self.postMessage(stored);
  await grid.close();
};
