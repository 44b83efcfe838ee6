import { readFileSync } from 'node:fs';

/** Reports whether a process with that id runs. A zombie does not: its parent has not yet asked how it ended. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !isZombie(processId);
}

function isZombie(processId: number): boolean {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
    // The name before the state is in parentheses, and may contain some.
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'Z';
  } catch {
    return false;
  }
}
