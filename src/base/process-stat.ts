/** Process information that Linux reports in /proc. */
import { readFileSync } from 'node:fs';

/** A process as /proc/PID/stat describes it. */
export interface ProcessStat {
  /** `Z` for a zombie. */
  readonly state: string;
  /** User and system time, in ticks. */
  readonly processorTicks: string;
  /** When it began, in ticks since the system started: another process can have the same id later. */
  readonly beganAtTicks: string;
}

/** Reads the description of a process; returns undefined if it does not exist or the system does not report it. */
export function readProcessStat(processId: number): ProcessStat | undefined {
  try {
    // After the name in parentheses, which may contain anything, comes field 3.
    const fields = readFileSync(`/proc/${processId}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return {
      state: fields[0] ?? '',
      processorTicks: `${fields[11]} ${fields[12]}`,
      beganAtTicks: fields[19] ?? '0',
    };
  } catch {
    return undefined;
  }
}
