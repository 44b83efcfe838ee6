/** Functions that return the time at which the statement started. */

import { MS_PER_DAY, NS_PER_MS } from '../types/calendar-arithmetic.ts';
import { type Call, DATE, type FunctionDeclaration, TIME, TIMESTAMP, withoutArguments } from './definition.ts';

/** Returns the nanoseconds at which the statement started, truncated to the requested fraction of a second. */
function now(call: Call): bigint {
  const digits = call.count > 0 ? Math.min(Math.max(call.integer(0), 0), 9) : 9;
  const unit = 10n ** BigInt(9 - digits);
  const nanos = BigInt(call.environment.nowMs) * NS_PER_MS;
  return nanos - (((nanos % unit) + unit) % unit);
}

export const CURRENT: readonly FunctionDeclaration[] = [
  withoutArguments(
    ['CURRENT_DATE', 'CURDATE', 'TODAY', 'GETDATE'],
    DATE,
    'Returns the date on which the statement started.',
    ({ nowMs }) => Math.floor(nowMs / MS_PER_DAY),
    false,
  ),
  withoutArguments(
    ['CURRENT_TIME', 'CURTIME', 'SYSTIME'],
    TIME,
    'Returns the time of the day at which the statement started.',
    ({ nowMs }) => nowMs - Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY,
    false,
  ),
  {
    names: ['CURRENT_TIMESTAMP', 'NOW', 'SYSDATE', 'SYSTIMESTAMP'],
    count: [0, 1],
    argumentTypes: ['INTEGER'],
    result: TIMESTAMP,
    deterministic: false,
    summary:
      'Returns the time at which the statement started, with the given number of fractional digits of the second.',
    compute: now,
  },
];
