import { commandCases, exactly, failsWith } from '../../../test/test-service.ts';

commandCases('decr', [
  ['starts at 0', ['decr key=n delta=5', -5], ['decr key=n delta=5', -10]],
  ['starts at init', ['decr key=n init=10 delta=1', 9]],
  ['shares counters with incr', ['incr key=n delta=5', 5], ['decr key=n delta=2', 3]],
  ['wraps on overflow', ['decr key=n init=-9223372036854775808 delta=1', exactly('9223372036854775807')]],
  ['subtracts the smallest long', ['decr key=n delta=-9223372036854775808', exactly('-9223372036854775808')]],
  [
    'rejects a delta outside 64 bits',
    [
      'decr key=n delta=9223372036854775808',
      failsWith('Failed to parse parameter of Long type [delta=9223372036854775808]'),
    ],
  ],
  [
    'begins a quota that is full again after its time',
    ['decr key=n init=3 delta=1 ttlMs=1000', 2],
    ['decr key=n init=3 delta=1 ttlMs=1000', 1],
    1_000,
    ['decr key=n init=3 delta=1 ttlMs=1000', 2],
  ],
  ['requires a delta', ['decr key=n', failsWith('mandatory parameter in request: delta')]],
]);
