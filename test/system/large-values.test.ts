/** Commands on values of more than 1 MiB, which query threads read and store. */
import { describe, expect, test } from 'bun:test';
import { startService } from './service-process.ts';

const TEXT = 'aé"\n😀'.repeat(200_000);
const OTHER = 'b'.repeat(1_200_000);

describe.each([1, 2])('large values with %i HTTP threads', (workers) => {
  test('are read and changed like others', async () => {
    await using service = await startService({
      env: { SVC_WORKERS: String(workers), SVC_LIMITS_LARGE_READ_CHARACTERS: '2600000' },
    });
    const run = (params: Readonly<Record<string, string>>) =>
      service.send('', { method: 'POST', body: new URLSearchParams({ cacheName: 'large', ...params }) });
    await run({ cmd: 'getorcreate' });
    const steps: ReadonlyArray<readonly [Readonly<Record<string, string>>, unknown]> = [
      [{ cmd: 'put', key: 'a', val: TEXT }, true],
      // The first read finds out that the value is large; later ones know it.
      [{ cmd: 'get', key: 'a' }, TEXT],
      [{ cmd: 'get', key: 'a' }, TEXT],
      [{ cmd: 'conkey', key: 'a' }, true],
      [{ cmd: 'ttl', key: 'a' }, null],
      [{ cmd: 'append', key: 'a', val: 'z' }, true],
      [{ cmd: 'get', key: 'a' }, `${TEXT}z`],
      [{ cmd: 'cas', key: 'a', val: TEXT, val2: `${TEXT}z` }, true],
      [{ cmd: 'putall', k1: 'b', v1: OTHER, k2: 'c', v2: 'short' }, true],
      [
        { cmd: 'getall', k1: 'a', k2: 'b', k3: 'c', k4: 'd' },
        { a: TEXT, b: OTHER, c: 'short' },
      ],
      [{ cmd: 'getput', key: 'a', val: 'short' }, TEXT],
      [{ cmd: 'get', key: 'a' }, 'short'],
      [{ cmd: 'getrmv', key: 'b' }, OTHER],
      [{ cmd: 'get', key: 'b' }, null],
      [{ cmd: 'size' }, 2],
    ];
    for (const [params, expected] of steps) {
      const { error, response } = await run(params);
      expect(error).toBeNull();
      // A difference of such texts would take minutes to print.
      expect(JSON.stringify(response) === JSON.stringify(expected)).toBe(true);
    }
    await run({ cmd: 'putall', k1: 'a', v1: TEXT, k2: 'b', v2: TEXT, k3: 'c', v3: TEXT });
    expect((await run({ cmd: 'getall', k1: 'a', k2: 'b', k3: 'c' })).error).toContain('2600000');
    expect((await run({ cmd: 'append', key: 'a', val: '1', valueType: 'long' })).error).toContain('Incompatible types');
    expect((await run({ cmd: 'put', cacheName: 'none', key: 'a', val: TEXT })).error).toContain('Failed to find cache');
  }, 60_000);
});
