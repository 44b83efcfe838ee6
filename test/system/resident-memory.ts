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

/** Returns the memory of a process and all its descendants in bytes, counting shared memory once (Linux). */
export function memoryBytes(pid: number): number {
  let own = 0;
  let shared = 0;
  for (const each of processesOf(pid)) {
    const status = readFileSync(`/proc/${each}/status`, 'utf8');
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1_024;
    own += bytes('RssAnon');
    shared = Math.max(shared, bytes('RssFile') + bytes('RssShmem'));
  }
  return own + shared;
}
