/** Processor time used by processes. */
import { readFileSync } from 'node:fs';

/** Returns the processor time of a process in ticks, or undefined if the system does not report it. */
export function processorTicksOf(processId: number): string | undefined {
  try {
    // After the name, which may contain anything: user and system time are fields 14 and 15.
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return `${fields[11]} ${fields[12]}`;
  } catch {
    return undefined;
  }
}
