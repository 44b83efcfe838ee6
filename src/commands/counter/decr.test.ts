import { commandCases, exactly, refused } from '../../../test/test-service.ts';

commandCases('decr', [
  ['begins at 0', ['decr key=n delta=5', -5], ['decr key=n delta=5', -10]],
  ['begins at init', ['decr key=n init=10 delta=1', 9]],
  ['counts the same counters as incr', ['incr key=n delta=5', 5], ['decr key=n delta=2', 3]],
  ['wraps', ['decr key=n init=-9223372036854775808 delta=1', exactly('9223372036854775807')]],
  ['subtracts the smallest long', ['decr key=n delta=-9223372036854775808', exactly('-9223372036854775808')]],
  [
    'refuses a delta that is no long',
    [
      'decr key=n delta=9223372036854775808',
      refused('Failed to parse parameter of Long type [delta=9223372036854775808]'),
    ],
  ],
  ['needs a delta', ['decr key=n', refused('mandatory parameter in request: delta')]],
]);
