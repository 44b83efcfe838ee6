import { commandCases, exactly, refused } from '../../../test/test-service.ts';

commandCases('incr', [
  ['begins at 0', ['incr key=n delta=5', 5], ['incr key=n delta=5', 10]],
  ['begins at init, once', ['incr key=n init=10 delta=1', 11], ['incr key=n init=10 delta=1', 12]],
  ['takes a negative delta', ['incr key=n delta=-3', -3]],
  ['reads with a delta of 0', ['incr key=n delta=7', 7], ['incr key=n delta=0', 7]],
  ['keeps 64 bits', ['incr key=n delta=9007199254740993', exactly('9007199254740993')]],
  ['wraps', ['incr key=n init=9223372036854775807 delta=1', exactly('-9223372036854775808')]],
  ['is no entry of a cache', ['incr key=n delta=1', 1], ['get key=n', null], ['size', 0]],
  ['ignores the cache', ['incr cacheName=none key=n delta=1', 1]],
  ['counters differ by name', ['incr key=n delta=1', 1], ['incr key=m delta=1', 1]],
  ['takes an empty name', ['incr key= delta=1', 1]],
  [
    'complains about init before delta',
    ['incr key=n init=x delta=y', refused('Failed to parse parameter of Long type [init=x]')],
  ],
  ['needs a delta', ['incr key=n', refused('mandatory parameter in request: delta')]],
  ['needs a key', ['incr delta=1', refused('mandatory parameter in request: key')]],
]);
