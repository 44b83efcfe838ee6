/**
 * Internal functions for `+`, `-`, `*` and `/` with a TIME and a date, a timestamp or a number. Statements cannot
 * call them by name.
 */
import { addTime, scaleTime } from './operations.ts';
import type { SqlFunction } from './sql-types.ts';

function operator(
  name: string,
  sketch: Pick<SqlFunction, 'argumentTypes' | 'result' | 'compute' | 'summary'>,
  count = 2,
): SqlFunction {
  return {
    names: [name],
    group: 'datetime',
    minArguments: count,
    maxArguments: count,
    nullOnNull: true,
    deterministic: true,
    cheap: true,
    ...sketch,
  };
}

export const ADD_TIME = operator('ADD_TIME', {
  argumentTypes: ['TIMESTAMP', 'TIME'],
  result: { name: 'TIMESTAMP' },
  compute: ([moment = null, time = null]) => addTime('+', moment, { name: 'TIMESTAMP' }, time),
  summary: 'A date or timestamp plus a time.',
});

export const SUBTRACT_TIME = operator('SUBTRACT_TIME', {
  argumentTypes: ['TIMESTAMP', 'TIME'],
  result: { name: 'TIMESTAMP' },
  compute: ([moment = null, time = null]) => addTime('-', moment, { name: 'TIMESTAMP' }, time),
  summary: 'A date or timestamp minus a time.',
});

export const SCALE_TIME = operator(
  'SCALE_TIME',
  {
    argumentTypes: ['VARCHAR', 'TIME', 'DOUBLE'],
    result: { name: 'TIME' },
    compute: ([sign = null, time = null, factor = null]) => scaleTime(sign === '*' ? '*' : '/', time, factor),
    summary: 'A time multiplied or divided by a number.',
  },
  3,
);
