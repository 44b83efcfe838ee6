/** A process whose code never yields ends with its parent. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

const LIMIT_MS = 30_000;
/** A process that nothing ends never ends, so this only has to be longer than a busy machine needs. */
const GONE_MS = 15_000;
const FIXTURE = join(import.meta.dir, '../../../test/fixtures/wiring/parent-process-child.ts');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const WAYS = ['endWithParent', 'watchParent'] as const;
for (const way of WAYS) {
  test.if(process.platform !== 'win32')(
    `${way}: an endless loop ends when its parent is killed`,
    async () => {
      const parent = Bun.spawn([process.execPath, FIXTURE, 'parent', way], { stdout: 'pipe', stderr: 'inherit' });
      const reader = parent.stdout.getReader();
      let text = '';
      while (!text.includes('looping')) {
        const { done, value } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      const child = Number(/child (\d+)/.exec(text)?.[1]);
      expect(isAlive(child)).toBe(true);
      parent.kill('SIGKILL');
      const endMs = performance.now() + GONE_MS;
      while (isAlive(child) && performance.now() < endMs) await Bun.sleep(20);
      const isLeft = isAlive(child);
      if (isLeft) process.kill(child, 'SIGKILL');
      expect(isLeft).toBe(false);
    },
    LIMIT_MS,
  );
}

test(
  'a process whose parent has ended before is killed at once',
  async () => {
    // No process has the id 0, so the parent is another one.
    const child = Bun.spawn([process.execPath, FIXTURE, 'child', 'endWithParent', '0'], { stdout: 'ignore' });
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
  },
  LIMIT_MS,
);
