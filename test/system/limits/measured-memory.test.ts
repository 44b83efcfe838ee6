/** Where the kernel does not bound the memory of statement processes, the service measures them and ends them. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { residentBytesOf } from '../../../src/engines/embedded/shared/resident-memory.ts';
import { processesOf, run } from '../../proof/processes/kills.ts';
import { startService } from '../service-process.ts';

const LIMIT_MS = 60_000;
const MEBIBYTE = 1024 * 1024;
const root = join(import.meta.dir, '../../..');

test(
  'a process that takes too much memory is killed, its statement fails, and the next one runs',
  async () => {
    const preload = join(import.meta.dir, 'without-memory-limit-process.ts');
    await using service = await startService({
      program: [join(root, 'node_modules/.bin/bun'), join(root, 'src/main.ts')],
      env: {
        BUN_OPTIONS: `--preload=${preload}`,
        SVC_QUERY_MAX_MEMORY_BYTES: String(64 * MEBIBYTE),
        SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(64 * MEBIBYTE),
      },
    });
    await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)');
    const before = processesOf(service.pid);
    expect(readFileSync(`/proc/${before[0]}/limits`, 'utf8')).toMatch(/^Max data size\s+unlimited/m);
    expect(residentBytesOf(before[0] ?? 0)).toBeGreaterThan(8 * MEBIBYTE);
    // SQLite makes each text of a row without looking at the memory of the statement.
    const texts = Array.from({ length: 60 }, () => "REPEAT('x', 4000000)").join(' || ');
    const { error } = await run(service, `SELECT LENGTH(${texts})`);
    expect(error).toContain('its process has run out of memory');
    expect(processesOf(service.pid)).not.toContain(before[0]);
    expect((await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)')).error).toBeNull();
    const log = readFileSync(join(service.dataDir, 'log/svc.log'), 'utf8');
    expect(log).toContain('A statement process has taken too much memory and is replaced');
  },
  LIMIT_MS,
);

test('a process that has ended has no memory', async () => {
  const child = Bun.spawn(['true']);
  await child.exited;
  expect(residentBytesOf(child.pid)).toBe(0);
});
