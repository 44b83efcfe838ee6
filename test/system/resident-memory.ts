/** Memory of a process with its children, from /proc. */
import { readFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;

/** Returns the ids of a process and of its descendants. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap((child) => processesOf(child))];
}

/** Returns the resident memory of a process and all its descendants, in MiB (Linux). */
export function residentMib(pid: number): number {
  const sizes = processesOf(pid).map((each) => {
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / KIB_PER_MIB;
  });
  return sizes.reduce((sum, each) => sum + each, 0);
}
