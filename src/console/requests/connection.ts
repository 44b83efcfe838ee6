/** The connection to the service: one state for the whole page, which the frame shows and everything else obeys. */
import { computed, signal } from '@preact/signals';

/** From the one that keeps the service from answering anything to the one that only concerns changes. */
export type ConnectionKind =
  | 'connected'
  /** No answer: the service does not run, or the network is interrupted. */
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
  /** The address of the primary, of a standby that knows it. */
  readonly primary?: string | undefined;
}

/** Kinds in which the service answers no command: what is shown is from before. */
const OUTAGES: ReadonlySet<ConnectionKind> = new Set(['stopped', 'starting', 'standby']);

export const connection = signal<Connection>({ kind: 'connected', sinceMs: Date.now() });
/** Whether the service answers no command. */
export const isOut = computed(() => OUTAGES.has(connection.value.kind));
/** Counts how often the service has come back: what is shown is read again then. */
export const healed = signal(0);
/** When the page noticed that the service serves another build of the console; undefined if it does not. */
export const upgradedAtMs = signal<number | undefined>(undefined);

/** Sets the state. What was the state already goes on since then. */
export function noteConnection(kind: ConnectionKind, primary?: string): void {
  const before = connection.peek();
  if (before.kind === kind && before.primary === primary) return;
  const sinceMs = before.kind === kind ? before.sinceMs : Date.now();
  connection.value = { kind, sinceMs, ...(primary !== undefined && { primary }) };
  if (OUTAGES.has(before.kind) && !OUTAGES.has(kind)) healed.value++;
}

const outages = new WeakSet<object>();

/** Marks an error as a consequence of the state of the connection, which the frame tells. */
export function markOutage<E extends Error>(error: E): E {
  outages.add(error);
  return error;
}

/** Returns whether an error is a consequence of the state of the connection: what failed is repeated when it heals. */
export function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && outages.has(error);
}
