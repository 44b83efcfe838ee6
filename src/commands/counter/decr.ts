import { counterCommand } from '../counter-steps.ts';

export const decr = counterCommand({
  name: 'decr',
  request: 'ATOMIC_DECREMENT',
  summary: 'Subtracts a number from a counter and returns the result. Creates the counter if necessary.',
  deltaSummary: 'The number to subtract; may be negative.',
  example: { query: 'cmd=decr&key=stock&init=10&delta=5', response: 5 },
  step: (delta) => -delta,
});
