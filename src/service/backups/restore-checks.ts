/**
 * Regularly checks that the continuous backup restores, and stores the result across restarts. Runs in the main thread;
 * the restore itself runs in a process.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { RestoreCheck } from '../../grid/backup.ts';
import type { Records } from '../../grid/grid.ts';
import type { RecordEvent } from '../monitoring/audit.ts';
import type { Log } from '../monitoring/log.ts';
import type { RestoreCheckReport } from '../monitoring/prometheus.ts';

export interface RestoreChecksOptions {
  /** Restores a point in time, in ms since 1970, or a random one, and verifies it. */
  readonly check: (atMs: number | undefined, signal: AbortSignal) => Promise<RestoreCheck>;
  /** Whether the service ships: no other service may check on its behalf. */
  readonly isShipping: () => boolean;
  readonly intervalMs: number;
  readonly records: Pick<Records, 'get' | 'put'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly recordEvent: RecordEvent;
}

/** A check that has ended. */
interface EndedCheck extends RestoreCheck {
  readonly endedMs: number;
  readonly durationMs: number;
}

/** The stored state. */
interface Remembered {
  readonly last: EndedCheck | undefined;
  /** When the last successful check ended, or 0 if there was none. */
  readonly verifiedMs: number;
}

const RECORD = 'backup.restoreCheck';
/** Longest time between checks of the schedule, so that a changed clock is noticed. */
const LOOK_MS = 5_000;
/** A failed check is repeated after this time, or after the interval if that is shorter. */
const RETRY_MS = 10 * 60_000;

export class RestoreChecks {
  readonly #options: RestoreChecksOptions;
  #remembered: Remembered = { last: undefined, verifiedMs: 0 };
  readonly #counts = { verified: 0, damaged: 0, failed: 0 };
  #running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  #timer: Timer | undefined;

  constructor(options: RestoreChecksOptions) {
    this.#options = options;
  }

  /** Reads the stored result, and begins to check the schedule. */
  async start(): Promise<void> {
    const { clock, records, intervalMs } = this.#options;
    this.#remembered = parsed(await records.get('setting', RECORD)) ?? this.#remembered;
    this.#timer = clock.every(Math.min(LOOK_MS, intervalMs), () => this.#look());
  }

  report(): RestoreCheckReport {
    const { last, verifiedMs } = this.#remembered;
    const { intervalMs } = this.#options;
    return {
      intervalMs,
      verifiedMs,
      isRunning: this.#running !== undefined,
      nextMs: this.#dueMs(),
      last,
      counts: this.#counts,
    };
  }

  /** Cancels the running check, and makes no more. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#running?.controller.abort();
    await this.#running?.done;
  }

  #dueMs(): number {
    const { last } = this.#remembered;
    const { intervalMs, clock } = this.#options;
    if (last === undefined) return clock.nowMs();
    return last.endedMs + (last.outcome === 'failed' ? Math.min(intervalMs, RETRY_MS) : intervalMs);
  }

  #look(): void {
    const { clock, isShipping } = this.#options;
    if (this.#running !== undefined || !isShipping() || clock.nowMs() < this.#dueMs()) return;
    const controller = new AbortController();
    this.#running = { controller, done: this.#check(controller.signal) };
  }

  /** Never rejects. */
  async #check(signal: AbortSignal): Promise<void> {
    const { check, clock, log } = this.#options;
    const startMs = clock.monotonicMs();
    const { last, verifiedMs } = this.#remembered;
    try {
      // A different point in time might not need the damaged objects, and would hide the damage.
      const found = await check(last?.outcome === 'damaged' ? last.atMs : undefined, signal);
      if (signal.aborted) return;
      const endedMs = clock.nowMs();
      const ended = { ...found, endedMs, durationMs: Math.round(clock.monotonicMs() - startMs) };
      this.#remembered = { last: ended, verifiedMs: found.outcome === 'verified' ? endedMs : verifiedMs };
      this.#counts[found.outcome]++;
      this.#announce(ended);
      await this.#options.records.put('setting', RECORD, JSON.stringify(this.#remembered));
    } catch (error) {
      log.warn('The result of a restore check could not be stored', { detail: String(error) });
    } finally {
      this.#running = undefined;
    }
  }

  #announce({ outcome, reason, atMs, position, entries, restoredBytes, durationMs }: EndedCheck): void {
    const { log, recordEvent } = this.#options;
    const at = atMs === 0 ? '' : new Date(atMs).toISOString();
    if (outcome === 'verified') {
      log.info('The continuous backup restores', { at, position: position ?? '', entries, restoredBytes, durationMs });
      recordEvent('done', 'restoreCheck', { at, position: position ?? '' });
      return;
    }
    const text = outcome === 'damaged' ? 'The continuous backup does not restore' : 'A restore check failed';
    log[outcome === 'damaged' ? 'error' : 'warn'](text, { at, reason: reason ?? '' });
    recordEvent('failures', 'restoreCheck', { at, outcome, error: reason ?? '' });
  }
}

/** Parses the stored state; returns undefined if this version does not understand it. */
function parsed(content: string | undefined): Remembered | undefined {
  if (content === undefined) return undefined;
  const { last, verifiedMs } = JSON.parse(content) as Partial<Remembered>;
  if (typeof verifiedMs !== 'number' || typeof last?.endedMs !== 'number') return undefined;
  return { last, verifiedMs };
}
