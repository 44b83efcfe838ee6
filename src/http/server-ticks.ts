/**
 * Time as a server's connections count it, in ticks of a second: timeouts are seconds, and one check of all connections
 * per second costs little. All responses of a tick have the same header lines.
 */
import type { Clock } from '../base/clock.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';
import { CommonLines, SAFETY_HEADERS } from './connection-output.ts';

/** Timeouts are seconds. */
export const TICK_MS = 1_000;

export interface TickSettings {
  readonly idleTimeoutSeconds: number;
  /** Seconds for which browsers use only HTTPS after a response over TLS; 0 to send no header. */
  readonly strictTransportSeconds: number;
  readonly bodyBytesPerSecond: number;
}

/** Returns the number of ticks in which at least `seconds` pass. The current tick has already begun. */
function ticksOf(seconds: number): number {
  return Math.ceil((seconds * 1_000) / TICK_MS) + 1;
}

export class ServerTicks {
  /** For which a connection may be silent. */
  readonly idleTicks: number;
  /** In which a complete head must arrive. */
  readonly headTicks: number;
  /** Minimum average number of body bytes per tick. */
  readonly bodyBytesPerTick: number;
  readonly #clock: Clock;
  readonly #encryptedHeaders: string;
  #lines: CommonLines;
  #encryptedLines: CommonLines;
  #tick = 0;

  constructor(clock: Clock, { idleTimeoutSeconds, strictTransportSeconds, bodyBytesPerSecond }: TickSettings) {
    this.#clock = clock;
    this.idleTicks = ticksOf(idleTimeoutSeconds);
    this.headTicks = ticksOf(Math.min(HTTP_BOUNDS.headSeconds, idleTimeoutSeconds));
    this.bodyBytesPerTick = (bodyBytesPerSecond * TICK_MS) / 1_000;
    this.#encryptedHeaders =
      strictTransportSeconds === 0
        ? SAFETY_HEADERS
        : `${SAFETY_HEADERS}Strict-Transport-Security: max-age=${strictTransportSeconds}\r\n`;
    [this.#lines, this.#encryptedLines] = this.#presentLines();
  }

  /** The current tick. */
  get tick(): number {
    return this.#tick;
  }

  /** Returns the header lines of every response in this tick. */
  commonLines(isEncrypted: boolean): CommonLines {
    return isEncrypted ? this.#encryptedLines : this.#lines;
  }

  /** Begins the next tick. */
  pass(): void {
    this.#tick++;
    [this.#lines, this.#encryptedLines] = this.#presentLines();
  }

  #presentLines(): [plain: CommonLines, encrypted: CommonLines] {
    const date = new Date(this.#clock.nowMs()).toUTCString();
    return [new CommonLines(SAFETY_HEADERS, date), new CommonLines(this.#encryptedHeaders, date)];
  }
}
