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
