import { expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { fitOpenFiles, openFilesLimit } from './open-files.ts';

const CASES: ReadonlyArray<
  readonly [title: string, threads: number, files: number | undefined, connections: number, cursors: number]
> = [
  ['an unknown limit lowers nothing', 2, undefined, 32_768, 1_000],
  ['a high limit lowers nothing', 2, 1_048_576, 32_768, 1_000],
  ['a usual limit lowers connections', 1, 20_000, 15_840, 1_000],
  ['a low limit lowers both', 1, 1_024, 576, 72],
  ['more threads reserve more files', 4, 1_024, 448, 56],
  ['a limit that is too low leaves one connection and one cursor', 1, 64, 1, 1],
];

for (const [title, threads, files, connections, cursors] of CASES) {
  test(title, () => {
    const fitted = fitOpenFiles(DEFAULT_LIMITS, threads, files);
    expect([fitted.connections, fitted.limits.openCursors]).toEqual([connections, cursors]);
    expect(fitted.lowered === undefined).toBe(connections === 16_384 * threads && cursors === 1_000);
    if (files !== undefined && files > 200) {
      expect(fitted.connections + 4 * fitted.limits.openCursors).toBeLessThanOrEqual(files - 128);
    }
  });
}

test('openFilesLimit returns the limit of this process on Linux', () => {
  const files = openFilesLimit();
  if (process.platform === 'linux') expect(files).toBeGreaterThan(32);
});
