/** Starts the code of one of the service's child processes. */
import { exitWithFailure } from '../wiring/start-failure.ts';
import { endWithParent } from './parent-watch/parent-process.ts';

/** Runs this process for the process `parent`, which started it and with which it ends. */
export async function runForParent(parent: number, start: () => Promise<void>): Promise<void> {
  try {
    endWithParent(parent);
    await start();
  } catch (error) {
    exitWithFailure(error);
  }
}
