/** Searches the protocol of takeovers in all of its bounds, and plants every mistake. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { endOf } from '../../ended-program.ts';

const PROGRAM = join(import.meta.dir, 'protocol.mjs');
const LIMIT_MS = 1_800_000;

const search = (...args: readonly string[]) => endOf([process.execPath, PROGRAM, ...args]);

test(
  'nothing is wrong in any of the bounds',
  async () => {
    const { exitCode, output } = await search();
    expect(output.match(/nothing wrong/g)).toHaveLength(6);
    expect(exitCode).toBe(0);
  },
  LIMIT_MS,
);

test(
  'every planted mistake is found',
  async () => {
    const { exitCode, output } = await search('--break', 'all');
    expect(output.match(/WRONG after/g)).toHaveLength(28);
    expect(output).not.toContain('NOT FOUND');
    expect(exitCode).toBe(0);
  },
  LIMIT_MS,
);
