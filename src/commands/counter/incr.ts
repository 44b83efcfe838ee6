import { counterCommand } from '../counter-steps.ts';

export const incr = counterCommand({
  name: 'incr',
  request: 'ATOMIC_INCREMENT',
  summary: 'Adds a number to a counter and returns the result. Creates the counter if necessary.',
  deltaSummary: 'The number to add; may be negative.',
  example: { query: 'cmd=incr&key=visits&init=10&delta=5', response: 15 },
  step: (delta) => delta,
});
