/** Functions that return the time at which the statement started. */

import { MS_PER_DAY, NS_PER_MS } from '../types/calendar-arithmetic.ts';
import { type Call, DATE, type FunctionDeclaration, TIME, TIMESTAMP } from './definition.ts';

/** Returns the nanoseconds at which the statement started, truncated to the requested fraction of a second. */
function now(call: Call): bigint {
  const digits = call.count > 0 ? Math.min(Math.max(call.integer(0), 0), 9) : 9;
  const unit = 10n ** BigInt(9 - digits);
  const nanos = BigInt(call.environment.nowMs) * NS_PER_MS;
  return nanos - (((nanos % unit) + unit) % unit);
}

export const CURRENT: readonly FunctionDeclaration[] = [
  {
    names: ['CURRENT_DATE', 'CURDATE', 'TODAY', 'GETDATE'],
    count: 0,
    result: DATE,
    deterministic: false,
    cheap: true,
    summary: 'Returns the date on which the statement started.',
    compute: (call) => Math.floor(call.environment.nowMs / MS_PER_DAY),
  },
  {
    names: ['CURRENT_TIME', 'CURTIME', 'SYSTIME'],
    count: 0,
    result: TIME,
    deterministic: false,
    cheap: true,
    summary: 'Returns the time of the day at which the statement started.',
    compute: (call) => call.environment.nowMs - Math.floor(call.environment.nowMs / MS_PER_DAY) * MS_PER_DAY,
  },
  {
    names: ['CURRENT_TIMESTAMP', 'NOW', 'SYSDATE', 'SYSTIMESTAMP'],
    count: [0, 1],
    argumentTypes: ['INTEGER'],
    result: TIMESTAMP,
    deterministic: false,
    cheap: true,
    summary:
      'Returns the time at which the statement started, with the given number of fractional digits of the second.',
    compute: now,
  },
];
