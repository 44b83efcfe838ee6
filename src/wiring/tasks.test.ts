/** Runs the suite of tasks over the service's own processes. */
import { afterAll, beforeAll } from 'bun:test';
import { join } from 'node:path';
import { runTasksSuite, type TasksSubject } from '../../test/grid/tasks.suite.ts';
import { openModelGrid } from '../../test/model/model-grid.ts';
import { systemClock } from '../base/clock.ts';
import { createLog } from '../service/monitoring/log.ts';
import { ProcessPool } from '../service/tasks/process-pool.ts';
import { TASK_PROCESS_ARGUMENT } from '../service/tasks/task-messages.ts';
import { createTaskService, type LocalTaskService } from '../service/tasks/task-service.ts';

const root = join(import.meta.dir, '../..');
const [lengths, waits] = ['RefNode$LenTask', 'RefNode$SleepTask'] as const;
let tasks: LocalTaskService | undefined;

beforeAll(async () => {
  const grid = openModelGrid({ clock: systemClock });
  const pool = new ProcessPool({
    grid,
    clock: systemClock,
    log: createLog({ append() {} }, 'error', systemClock),
    command: [process.execPath, join(root, 'src/main.ts'), TASK_PROCESS_ARGUMENT, String(process.pid)],
    environment: process.env,
    configuration: join(root, 'test/fixtures/tasks.config.ts'),
    count: 2,
    memoryBytes: 0,
    maxWaiting: 100,
    targetMs: 100,
  });
  tasks = createTaskService({
    grid,
    clock: systemClock,
    pool,
    names: new Set([lengths, waits]),
    maxResults: 100,
    maxTimeoutMs: 60_000,
  });
});
afterAll(() => tasks?.close());

runTasksSuite("the service's own processes", (): TasksSubject => {
  if (!tasks) throw new Error('the processes do not run');
  return { lengths, waits, ...tasks };
});
