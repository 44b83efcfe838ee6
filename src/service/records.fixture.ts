/** Records on a Map and a clock to set, for tests of sessions, users and what stands on them. */
import type { Clock, Timer } from '../base/clock.ts';
import type { RecordKind, Records } from '../grid/grid.ts';

export class ManualClock implements Clock {
  #nowMs = 1_700_000_000_000;
  #timers: Array<{ atMs: number; everyMs: number | undefined; action: () => void }> = [];

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, action: () => void): Timer {
    return this.#add(delayMs, undefined, action);
  }

  every(intervalMs: number, action: () => void): Timer {
    return this.#add(intervalMs, intervalMs, action);
  }

  endOfTurn(action: () => void): void {
    this.#add(0, undefined, action);
  }

  /** Lets time pass and runs what falls due, in order. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      if (due.everyMs === undefined) this.#timers = this.#timers.filter((timer) => timer !== due);
      else due.atMs += due.everyMs;
      due.action();
    }
    this.#nowMs = endMs;
  }

  #add(delayMs: number, everyMs: number | undefined, action: () => void): Timer {
    const timer = { atMs: this.#nowMs + delayMs, everyMs, action };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((each) => each !== timer);
      },
    };
  }
}

export class MapRecords implements Records {
  readonly #clock: Clock;
  readonly #records = new Map<string, { id: string; kind: RecordKind; content: string; expiresAtMs: number }>();
  /** Changes so far. */
  writes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(kind: RecordKind, id: string): string | undefined {
    const record = this.#records.get(`${kind}/${id}`);
    return record === undefined || record.expiresAtMs <= this.#clock.nowMs() ? undefined : record.content;
  }

  async put(kind: RecordKind, id: string, content: string, expiresAtMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.writes++;
    this.#records.set(`${kind}/${id}`, { id, kind, content, expiresAtMs });
  }

  async add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    if (this.get(kind, id) !== undefined) return false;
    await this.put(kind, id, content, expiresAtMs);
    return true;
  }

  async remove(kind: RecordKind, id: string): Promise<string | undefined> {
    const content = this.get(kind, id);
    this.#records.delete(`${kind}/${id}`);
    return content;
  }

  list(kind: RecordKind): Array<{ id: string; content: string }> {
    return [...this.#records.values()].filter(
      (record) => record.kind === kind && record.expiresAtMs > this.#clock.nowMs(),
    );
  }
}
