/** `svc test-service`, which programs in other languages start for their tests. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { runSvcProcess } from '../cli/cli-process.ts';
import { BUN, MAIN } from '../program.ts';
import { newFolder, sendTo } from '../service-process.ts';

setDefaultTimeout(60_000);

test('loads, advances, resets, reports what is wrong, and ends with its input', async () => {
  const child = Bun.spawn([BUN, MAIN, 'test-service'], {
    cwd: newFolder(),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = (async function* () {
    let rest = '';
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  })();
  const answer = async () => JSON.parse(String((await lines.next()).value));
  const send = async (line: string) => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
    return answer();
  };
  const { url } = await answer();
  const command = async (query: string) => (await sendTo(url, query)).response;
  expect(await send('{"call":"load","fixtures":[{"entries":{"a":1}},{"cacheName":"b","entries":{"c":"d"}}]}')).toEqual(
    {},
  );
  expect(await send('{"call":"snapshot"}')).toEqual({});
  await command('cmd=put&key=a&val=2');
  await command('cmd=put&key=short&val=1&exp=60000');
  expect(await send('{"call":"advance","ms":60000}')).toEqual({});
  expect([await command('cmd=get&key=short'), await command('cmd=get&key=a')]).toEqual([null, '2']);
  expect(await send('{"call":"reset"}')).toEqual({});
  expect([await command('cmd=get&key=a'), await command('cmd=get&cacheName=b&key=c')]).toEqual([1, 'd']);
  expect(await send('{"call":"load","fixtures":[{"xml":""}]}')).toEqual({
    error: expect.stringContaining('a fixture is'),
  });
  expect(await send('{"call":"advance","ms":-1}')).toEqual({
    error: expect.stringContaining('advance needs a number'),
  });
  expect(await send('{"call":"stop"}')).toEqual({ error: expect.stringContaining('a call is load, advance') });
  expect(await send('x')).toEqual({ error: expect.stringContaining('JSON') });
  child.stdin.end();
  expect(await child.exited).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('says why it cannot start, and has help', async () => {
  const cwd = newFolder();
  const wrong = await runSvcProcess(['test-service', '--nosuch'], { cwd });
  expect([wrong.exitCode, wrong.output]).toEqual([1, '{"error":"--nosuch: unknown, see svc help serve"}\n']);
  for (const args of [
    ['test-service', '--help'],
    ['help', 'test-service'],
  ])
    expect((await runSvcProcess(args, { cwd })).output).toStartWith('Usage: svc test-service [OPTIONS]\n');
});
