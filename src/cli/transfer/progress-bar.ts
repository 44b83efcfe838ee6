/** Progress bars, which are shown on terminals only. */
import { SingleBar } from 'cli-progress';
import type { Terminal } from '../program.ts';

export interface ProgressBar {
  /** Advances by a number of bytes. */
  add(bytes: number): void;
  stop(): void;
}

const NONE: ProgressBar = { add: () => {}, stop: () => {} };
const MEGABYTE = 1_000_000;

/** Shows a bar on standard error; without a total, only the amount done. */
export function progressBar(title: string, totalBytes: number | undefined, { errors }: Terminal): ProgressBar {
  if (errors.isTTY !== true) return NONE;
  const bar = new SingleBar({
    format:
      totalBytes === undefined
        ? `${title} {megabytes} MB | {duration_formatted}`
        : `${title} {bar} {percentage}% | {eta_formatted}`,
    stream: errors,
    clearOnComplete: true,
  });
  let done = 0;
  bar.start(totalBytes ?? 1, 0, { megabytes: '0.0' });
  return {
    add(bytes) {
      done += bytes;
      bar.update(totalBytes === undefined ? 0 : Math.min(done, totalBytes), {
        megabytes: (done / MEGABYTE).toFixed(1),
      });
    },
    stop: () => bar.stop(),
  };
}
