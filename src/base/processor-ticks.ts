/** How much processes have computed. */
import { readFileSync } from 'node:fs';

/** Returns the time for which a process has used processors, in ticks; undefined: the system does not tell. */
export function processorTicksOf(processId: number): string | undefined {
  try {
    // After the name, which may contain anything: user and system time are the 14th and 15th field.
    const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return `${fields[11]} ${fields[12]}`;
  } catch {
    return undefined;
  }
}
