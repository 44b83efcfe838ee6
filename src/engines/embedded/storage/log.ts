/** Writes a line to the service's log. */
export type Log = (level: 'info' | 'warn' | 'error', text: string) => void;
