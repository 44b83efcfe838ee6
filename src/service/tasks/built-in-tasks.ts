/** The built-in tasks. */
import { systemClock } from '../../base/clock.ts';
import type { MappedTask, TaskArgument, TaskContext, TaskDeclarations, TaskFunction } from './task-declaration.ts';

/** `svc.echo`: returns its arguments. */
const echo: TaskFunction = (argument) => argument;

/** `svc.sleep`: waits a number of milliseconds (default: 1000) and returns it. */
const sleep: TaskFunction = async (argument, { signal }) => {
  const text = firstOf(argument) ?? '1000';
  const waitMs = Number(text);
  if (!(waitMs >= 0 && waitMs <= 3_600_000))
    throw new Error(`Not a number of milliseconds of at most an hour: ${text}`);
  await new Promise<void>((resolve) => {
    const timer = systemClock.after(waitMs, resolve);
    signal.addEventListener('abort', () => {
      timer.cancel();
      resolve();
    });
  });
  return waitMs;
};

/** `svc.cacheSizes`: returns the number of entries in each named cache, or in all caches. */
const cacheSizes: MappedTask<string, readonly [string, number]> = {
  map: (argument, { caches }) => namedCaches(argument, caches),
  job: async (name, { caches }) => [name, await caches.size(name)],
  reduce: (sizes) => Object.fromEntries(sizes),
};

/**
 * `svc.entriesDigest`: returns, for each of the named caches or all, the number of entries and a sum of their SHA-256
 * hashes that is independent of their order, to compare two grids, or a grid with its restored backup.
 */
const entriesDigest: MappedTask<string, readonly [string, { entries: number; digest: string }]> = {
  map: (argument, { caches }) => namedCaches(argument, caches),
  async job(name, { caches, signal }) {
    const sum = new Uint8Array(32);
    let entries = 0;
    for await (const { key, value } of caches.scan(name)) {
      if (signal.aborted) break;
      const text = JSON.stringify([key, value], (_name, each) =>
        typeof each === 'bigint' ? { long: String(each) } : each,
      );
      addBytes(sum, new Bun.CryptoHasher('sha256').update(text).digest());
      entries++;
    }
    return [name, { entries, digest: sum.toHex() }];
  },
  reduce: (digests) => Object.fromEntries(digests),
};

function addBytes(sum: Uint8Array, bytes: Uint8Array): void {
  let carry = 0;
  for (let index = sum.length - 1; index >= 0; index--) {
    carry += (sum[index] ?? 0) + (bytes[index] ?? 0);
    sum[index] = carry & 255;
    carry >>= 8;
  }
}

function firstOf(argument: TaskArgument): string | undefined {
  return argument === null || typeof argument === 'string' ? (argument ?? undefined) : argument[0];
}

async function namedCaches(argument: TaskArgument, caches: TaskContext['caches']): Promise<readonly string[]> {
  if (argument === null) return caches.names();
  return typeof argument === 'string' ? [argument] : argument;
}

export const BUILT_IN_TASKS: TaskDeclarations = {
  'svc.echo': echo,
  'svc.sleep': sleep,
  'svc.cacheSizes': cacheSizes,
  'svc.entriesDigest': entriesDigest,
};
