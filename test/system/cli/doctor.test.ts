/** `svc doctor` on a machine in order, and with each kind of problem. */
import { expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { newFolder, startService } from '../service-process.ts';
import { runSvcProcess } from './cli-process.ts';

test('reports what is in order and what to do about the rest', async () => {
  const cwd = newFolder();
  const port = freePort();
  const doctor = (env: Readonly<Record<string, string>>) =>
    runSvcProcess(['doctor'], { cwd, env: { SVC_HTTP_PORT: String(port), SVC_HTTP_HOST: '127.0.0.1', ...env } });

  const fine = await doctor({});
  expect([fine.exitCode, fine.errors]).toEqual([0, '']);
  expect(fine.output).toMatch(
    /^ok +installation: svc .*\nok +configuration: no file.*\nok +data folder: .*\nok +port: /,
  );

  writeFileSync(join(cwd, 'file'), '');
  const impossible = await doctor({ SVC_DATA_DIR: join(cwd, 'file', 'data') });
  expect([impossible.exitCode, impossible.output]).toEqual([
    1,
    expect.stringContaining(`PROBLEM  data folder: ${join(cwd, 'file')} is not writable`),
  ]);

  using other = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.end(), data() {} },
  });
  const taken = await doctor({ SVC_HTTP_PORT: String(other.port) });
  expect([taken.exitCode, taken.output]).toEqual([
    1,
    expect.stringContaining(`PROBLEM  port: ${other.port} is in use`),
  ]);

  const cluster = await doctor({ SVC_ENGINE: 'cluster', SVC_ENDPOINTS: `127.0.0.1:${port},127.0.0.1:${other.port}` });
  expect(cluster.output).toContain(`PROBLEM  cluster node 127.0.0.1:${port}: does not accept`);
  expect(cluster.output).toContain(`ok       cluster node 127.0.0.1:${other.port}: accepts`);

  writeFileSync(join(cwd, 'svc.config.ts'), 'export default { http: { prt: 1 } };\n');
  const wrong = await doctor({});
  expect([wrong.exitCode, wrong.output]).toEqual([1, expect.stringContaining('svc.config.ts:1:26: http.prt: unknown')]);
  rmSync(join(cwd, 'svc.config.ts'));

  await using service = await startService({ dataDir: join(cwd, 'data') });
  const running = await doctor({ SVC_DATA_DIR: service.dataDir });
  expect(running.output).toMatch(new RegExp(`is in use by process ${service.pid}, \\d+ MiB free\\n`));
  expect(running.output).toContain(`the service listens on ${service.url}`);
  await service.stop();
  rmSync(cwd, { recursive: true });
}, 30_000);
