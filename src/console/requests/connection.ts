/** The connection to the service: one state for the whole page, which the frame shows and everything else follows. */
import { computed, signal } from '@preact/signals';

/** From the state in which the service answers nothing to the one that only concerns changes. */
export type ConnectionKind =
  | 'connected'
  /** No response: the service is not running, or the network is down. */
  | 'stopped'
  /** It answers every command with NOT_READY. */
  | 'starting'
  /** It answers every command with STANDBY. */
  | 'standby'
  | 'inactive'
  | 'diskFull'
  /** It reports that it is not ready, for a reason that this user may not know. */
  | 'notReady';

export interface Connection {
  readonly kind: ConnectionKind;
  readonly sinceMs: number;
  /** The primary's address, if the standby knows it. */
  readonly primary?: string | undefined;
}

/** States in which the service answers no commands, so the display is outdated. */
const OUTAGES: ReadonlySet<ConnectionKind> = new Set(['stopped', 'starting', 'standby']);

export const connection = signal<Connection>({ kind: 'connected', sinceMs: Date.now() });
/** Whether the service answers no commands. */
export const isOut = computed(() => OUTAGES.has(connection.value.kind));
/** Counts how often the service has come back: the display is then reread. */
export const healed = signal(0);
/** When the page noticed that the service serves a different build of the console; undefined if it does not. */
export const upgradedAtMs = signal<number | undefined>(undefined);

/** Sets the state. An unchanged state keeps its start time. */
export function noteConnection(kind: ConnectionKind, primary?: string): void {
  const before = connection.peek();
  if (before.kind === kind && before.primary === primary) return;
  const sinceMs = before.kind === kind ? before.sinceMs : Date.now();
  connection.value = { kind, sinceMs, ...(primary !== undefined && { primary }) };
  if (OUTAGES.has(before.kind) && !OUTAGES.has(kind)) healed.value++;
}

const outages = new WeakSet<object>();

/** Marks an error as a consequence of the connection's state, which the frame shows. */
export function markOutage<E extends Error>(error: E): E {
  outages.add(error);
  return error;
}

/** Returns whether an error is a consequence of the connection's state: the failed action is repeated on recovery. */
export function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && outages.has(error);
}
