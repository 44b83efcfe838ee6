/** Entry of a process that runs tasks. */
import { loadTasks } from '../../configuration/load.ts';
import { runTaskProcess } from '../../service/tasks/task-process.ts';
import { runForParent } from '../child-process.ts';

/** Runs tasks for the service, whose process has the given id, until that ends. */
export function serveTasks(parent: number): Promise<void> {
  return runForParent(parent, async () => runTaskProcess(loadTasks));
}
