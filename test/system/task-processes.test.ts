/** Task processes end with the service, whatever their task does. */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, startService } from './service-process.ts';
import { until } from './until.ts';

const LIMIT_MS = 60_000;

const CONFIGURATION = `import { writeFileSync } from 'node:fs';
export default {
  tasks: {
    endless: (file) => {
      writeFileSync(file, String(process.pid));
      for (;;);
    },
    environment: () => Object.keys(process.env).sort(),
  },
};
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test(
  'a task that never yields ends with a service that is killed',
  async () => {
    const folder = newFolder();
    try {
      const config = join(folder, 'svc.config.ts');
      const file = join(folder, 'pid');
      writeFileSync(config, CONFIGURATION);
      await using service = await startService({ env: { SVC_CONFIG: config } });
      const running = service.send(`cmd=exe&name=endless&p1=${file}`).catch(() => undefined);
      await until('the task runs', () => readdirSync(folder).includes('pid') && readFileSync(file, 'utf8') !== '');
      const pid = Number(readFileSync(file, 'utf8'));
      expect(isAlive(pid)).toBe(true);
      await service.kill();
      await until('its process has ended', () => !isAlive(pid));
      await running;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);

test(
  'tasks see the variables that programs need to run, those of the option, and no others',
  async () => {
    const folder = newFolder();
    try {
      writeFileSync(join(folder, 'svc.config.ts'), CONFIGURATION);
      const given = {
        SVC_CONFIG: join(folder, 'svc.config.ts'),
        SVC_TELEMETRY_HEADERS: 'authorization=secret',
        SVC_TASK_PROCESSES_ENVIRONMENT: 'REPORT_*,AWS_REGION',
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_REGION: 'here',
        REPORT_MODE: 'short',
        DATABASE_URL: 'postgres://ann:secret@localhost/',
        TZ: 'UTC',
      };
      await using service = await startService({ env: given });
      const { result } = (await service.command('cmd=exe&name=environment')) as { readonly result: readonly string[] };
      const names = ['PATH', 'TZ', 'AWS_REGION', 'REPORT_MODE'];
      expect(names.filter((name) => !result.includes(name))).toEqual([]);
      expect(result.filter((name) => /^SVC_|SECRET|URL|PASSWORD|TOKEN|^npm_/i.test(name))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
