import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { until } from '../../test/system/until.ts';
import { isRunning } from './running-process.ts';

test.skipIf(!existsSync('/proc/self/stat'))(
  'a process that has ended and that its parent ignores does not run',
  async () => {
    // sleep replaces the shell, and does not wait for the shell's child, which ends afterwards.
    const child = `while read -r name < /proc/$PPID/comm && [ "$name" != sleep ]; do :; done`;
    await using parent = Bun.spawn(['sh', '-c', `sh -c '${child}' & echo $!; exec sleep 60`], { stdout: 'pipe' });
    const { value } = await parent.stdout.getReader().read();
    const childId = Number(new TextDecoder().decode(value));
    await until('the child has ended', () => !isRunning(childId));
    // It still exists.
    expect(process.kill(childId, 0)).toBe(true);
    expect([isRunning(parent.pid), isRunning(process.pid)]).toEqual([true, true]);
    parent.kill();
    await parent.exited;
    expect(isRunning(parent.pid)).toBe(false);
  },
);
