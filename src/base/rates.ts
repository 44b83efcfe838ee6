/** Rates of requests: N per period. */

export interface Rate {
  readonly requests: number;
  readonly windowMs: number;
}

const TEXT = /^([1-9]\d{0,6})\/([1-9]\d{0,3})?(s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** A day. For clients that would have to wait longer, a different error is more useful. */
const MAX_WINDOW_MS = 24 * 3_600_000;

/** The form of {@link parseRate}, for error texts. */
export const RATE_FORM = 'requests in a time: 100/s, 5000/m, 100000/h or 20/10s, within at most a day';

/** Parses `100/s`, `5000/m`, `20/10s`; returns undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
  const [, requests = '', count = '1', unit = ''] = TEXT.exec(text) ?? [];
  const windowMs = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return windowMs <= MAX_WINDOW_MS ? { requests: Number(requests), windowMs } : undefined;
}
