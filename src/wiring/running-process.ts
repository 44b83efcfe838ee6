import { readProcessStat } from '../base/process-stat.ts';

/** Reports whether a process with that id runs. A zombie does not: its parent has not yet asked how it ended. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return readProcessStat(processId)?.state !== 'Z';
}
