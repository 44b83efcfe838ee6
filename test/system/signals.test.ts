/** Signals stop the service in time, however it was started and whatever it is doing. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { allowedMs } from './machine.ts';
import { WORKERS } from './modes.ts';
import { newFolder, queryOf, startService } from './service-process.ts';

/** The first `npm start` builds the program, which takes half a minute on a busy machine. */
const LIMIT_MS = 240_000;
const root = join(import.meta.dir, '../..');

/** Runs `npm start`; returns the npm process and the service's address. */
async function startByNpm(dataDir: string) {
  const npm = Bun.spawn(['npm', 'start'], {
    cwd: root,
    env: { ...process.env, SVC_DATA_DIR: dataDir, SVC_HTTP_HOST: '127.0.0.1', SVC_HTTP_PORT: String(freePort()) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  let output = '';
  for await (const bytes of npm.stdout) {
    output += new TextDecoder().decode(bytes);
    if (/listening on \S+\s/.test(output)) break;
  }
  const url = /listening on (\S+)/.exec(output)?.[1] ?? '';
  return { npm, url };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await fetch(`${url}?cmd=probe`);
    return true;
  } catch {
    return false;
  }
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
  test(
    `${signal} to npm start stops the service cleanly`,
    async () => {
      const dataDir = newFolder();
      try {
        const { npm, url } = await startByNpm(dataDir);
        expect(await (await fetch(`${url}?cmd=put&key=a&val=1`)).json()).toMatchObject({ response: true });
        npm.kill(signal);
        await npm.exited;
        const deadlineMs = performance.now() + allowedMs(5_000);
        while ((await isAnswering(url)) && performance.now() < deadlineMs) await Bun.sleep(50);
        expect(await isAnswering(url)).toBe(false);
        // The folder is free: no process is left that holds it.
        await using again = await startService({ dataDir });
        expect(await again.command('cmd=get&key=a')).toBe('1');
        expect(await Bun.file(join(dataDir, 'log/svc.log')).text()).toContain('"Stopped"');
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
}

const TASKS = `export default {
  tasks: {
    busy: () => { for (;;) {} },
    deaf: () => new Promise(() => {}),
  },
};
`;

for (const workers of WORKERS) {
  test(
    `SIGTERM stops the service within 5 s while statements, tasks and clients hang, workers=${workers}`,
    async () => {
      const folder = newFolder();
      try {
        const config = join(folder, 'svc.config.ts');
        writeFileSync(config, TASKS);
        const service = await startService({
          dataDir: join(folder, 'data'),
          env: { SVC_CONFIG: config, SVC_WORKERS: String(workers) },
        });
        await service.command('cmd=put&key=a&val=kept');
        await service.command(
          queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'CREATE TABLE T(id INT PRIMARY KEY, v BIGINT)' }),
        );
        await service.command(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry: 'INSERT INTO T VALUES(1, 1)' }));
        const endless = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000000000) a, SYSTEM_RANGE(1, 1000000000) b';
        const update = 'UPDATE T SET v = (SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000000000))';
        const hanging = [
          ...[endless, endless, endless, endless, update].map((qry) =>
            service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, qry })),
          ),
          service.send('cmd=exe&name=busy'),
          service.send('cmd=exe&name=deaf'),
        ];
        const answers = Promise.allSettled(hanging);
        const idle = await Bun.connect({ hostname: '127.0.0.1', port: service.port, socket: { data() {} } });
        const slow = await Bun.connect({ hostname: '127.0.0.1', port: service.port, socket: { data() {} } });
        slow.write('POST /svc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ncmd=');
        await Bun.sleep(1_000);
        const begunMs = performance.now();
        const code = await service.stop();
        expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));
        expect(code).toBe(0);
        await answers;
        idle.end();
        slow.end();
        await using again = await startService({ dataDir: join(folder, 'data') });
        expect(await again.command('cmd=get&key=a')).toBe('kept');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
}
