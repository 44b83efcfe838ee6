import { expect, test } from 'bun:test';
import os from 'node:os';
import { openGuardLibrary } from './guard-library.ts';
import { countSignals } from './signal-count.ts';

const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const { SIGUSR2, SIGWINCH } = os.constants.signals;
const UNUSED = 64;

test.if(LINUX)('a signal is counted while the event loop is blocked, and its handler is called later', async () => {
  const library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  const count = new Int32Array(new SharedArrayBuffer(4));
  let handled = 0;
  const onSignal = () => void handled++;
  process.on('SIGUSR2', onSignal);
  try {
    // Counting twice does not call the handler twice.
    for (let times = 0; times < 2; times++) expect(countSignals(library.path ?? '', [SIGUSR2], count)).toBe(true);
    Bun.gc(true);
    process.kill(process.pid, 'SIGUSR2');
    const endMs = performance.now() + 5_000;
    while (Atomics.load(count, 0) === 0 && performance.now() < endMs);
    expect([count[0], handled]).toEqual([1, 0]);
    while (handled === 0 && performance.now() < endMs) await Bun.sleep(1);
    expect([count[0], handled]).toEqual([1, 1]);
  } finally {
    process.off('SIGUSR2', onSignal);
    library.release();
  }
});

test.if(LINUX)('a signal without a handler, or of no such number, cannot be counted', async () => {
  const library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  const count = new Int32Array(new SharedArrayBuffer(4));
  for (const signal of [SIGWINCH, UNUSED, 0, -1, 65])
    expect(countSignals(library.path ?? '', [signal], count)).toBe(false);
  library.release();
});
