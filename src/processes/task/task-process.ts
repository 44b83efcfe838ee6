/**
 * Entry of a task process, which runs configured functions: they may hang, crash, or take all memory.
 *
 * Runs: one step of a task at a time (src/service/tasks/task-process.ts), with the declarations of the configuration
 * file, which it loads itself. Reads of caches go back to the service. Owns: nothing of the service: no file of the
 * data folder, and only the variables of the environment that the configuration names. Started by the pool of
 * src/service/tasks/process-pool.ts in the main thread, as many as the tasks need. Ends: when the pool ends it after a
 * cancelled, overlong or failed step or when it is no longer needed, when the channel to the service closes, or with
 * the service, even if its code never returns to the event loop.
 */
import { loadTasks } from '../../configuration/load.ts';
import { runTaskProcess } from '../../service/tasks/task-process.ts';
import { runForParent } from '../child-process.ts';

/** Runs tasks for the service, whose process has the given id, until that ends. */
export function serveTasks(parent: number): Promise<void> {
  return runForParent(parent, async () => runTaskProcess(loadTasks));
}
