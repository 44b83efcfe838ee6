/** Searches the protocol of takeovers in small bounds, and plants mistakes that the search must find. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { endOf } from '../../ended-program.ts';

const PROGRAM = join(import.meta.dir, 'protocol.mjs');
const LIMIT_MS = 60_000;

const search = (...args: readonly string[]) => endOf([process.execPath, PROGRAM, ...args]);

test(
  'two services, one crash and two takeovers lose nothing that was acknowledged',
  async () => {
    const bounds = ['--nodes', '2', '--writes', '2', '--crashes', '1', '--takeovers', '2'];
    const { exitCode, output } = await search('--model', 'chain', ...bounds);
    expect(output).toContain('nothing wrong');
    expect(exitCode).toBe(0);
  },
  LIMIT_MS,
);

test(
  'no service answers with a state that another one may have changed',
  async () => {
    const { exitCode, output } = await search('--model', 'lease');
    expect(output).toContain('nothing wrong');
    expect(exitCode).toBe(0);
  },
  LIMIT_MS,
);

// The other mistakes, and larger bounds: protocol.long.test.ts.
test.each(['noseal', 'early', 'tail', 'increment', 'fullset', 'sealbelow', 'unlisted', 'suspended', 'release'])(
  'the mistake %s is found',
  async (mistake) => {
    const { exitCode, output } = await search('--break', mistake);
    expect(output).toContain(`(${mistake}): WRONG after`);
    expect(exitCode).toBe(1);
  },
  LIMIT_MS,
);
