import { commandCases, exactly, failsWith } from '../../../test/test-service.ts';

commandCases('incr', [
  ['starts at 0', ['incr key=n delta=5', 5], ['incr key=n delta=5', 10]],
  ['uses init only for a new counter', ['incr key=n init=10 delta=1', 11], ['incr key=n init=10 delta=1', 12]],
  ['accepts a negative delta', ['incr key=n delta=-3', -3]],
  ['returns the current value for a delta of 0', ['incr key=n delta=7', 7], ['incr key=n delta=0', 7]],
  ['returns all digits of a 64-bit value', ['incr key=n delta=9007199254740993', exactly('9007199254740993')]],
  ['wraps on overflow', ['incr key=n init=9223372036854775807 delta=1', exactly('-9223372036854775808')]],
  ['does not create a cache entry', ['incr key=n delta=1', 1], ['get key=n', null], ['size', 0]],
  ['ignores the cache name', ['incr cacheName=none key=n delta=1', 1]],
  ['keeps counters with different names apart', ['incr key=n delta=1', 1], ['incr key=m delta=1', 1]],
  ['accepts an empty name', ['incr key= delta=1', 1]],
  [
    'reports an invalid init before an invalid delta',
    ['incr key=n init=x delta=y', failsWith('Failed to parse parameter of Long type [init=x]')],
  ],
  [
    'ttlMs of a new counter begins a window that later increments do not move [11.10]',
    ['incr key=n delta=1 ttlMs=1000', 1],
    600,
    ['incr key=n delta=1 ttlMs=1000', 2],
    ['counterttl key=n', 400],
    400,
    ['incr key=n init=10 delta=1 ttlMs=1000', 11],
    ['counterttl key=n', 1_000],
  ],
  [
    'has no deadline with a time to live of 0',
    ['incr key=n delta=1 ttlMs=0', 1],
    ['counterttl key=n', null],
    ['incr key=n delta=1 ttlMs=1000', 2],
    ['counterttl key=n', null],
  ],
  ['rejects a negative time to live', ['incr key=n delta=1 ttlMs=-1', failsWith('ttlMs')]],
  ['requires a delta', ['incr key=n', failsWith('mandatory parameter in request: delta')]],
  ['requires a key', ['incr delta=1', failsWith('mandatory parameter in request: key')]],
]);
