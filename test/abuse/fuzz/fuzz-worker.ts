/** Runs one fuzzer in a thread of its own, so that an input that never ends can be reported and terminated. */
import { FUZZERS } from './fuzzers.ts';
import type { WorkerOrder, WorkerResult } from './run-fuzz.ts';

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<WorkerOrder>) => {
  const progress = new Int32Array(data.progress);
  const share = FUZZERS.find(({ fuzzer }) => fuzzer.name === data.fuzzer);
  if (share === undefined) throw new Error(`There is no fuzzer ${data.fuzzer}.`);
  const finding = await share.fuzzer.run(data.seed, data.from, data.count, (index) =>
    Atomics.store(progress, 0, index),
  );
  self.postMessage({ finding } satisfies WorkerResult);
};
