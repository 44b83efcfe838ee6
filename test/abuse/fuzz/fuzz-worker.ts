/** Runs one fuzzer in a separate thread, so that an input that never ends can be reported and terminated. */
import type { Finding } from './fuzzer.ts';
import { FUZZERS } from './fuzzers.ts';

export interface WorkerOrder {
  readonly fuzzer: string;
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  /** One 32-bit number: the index of the input that is being checked. */
  readonly progress: SharedArrayBuffer;
}

export interface WorkerResult {
  readonly finding: Finding | undefined;
}

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
