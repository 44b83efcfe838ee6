import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('counterpersist', [
  [
    'removes the deadline',
    ['incr key=n delta=1 ttlMs=1000', 1],
    ['counterpersist key=n', true],
    ['counterttl key=n', null],
    2_000,
    ['incr key=n delta=1', 2],
  ],
  ['accepts a counter without a deadline', ['incr key=n delta=1', 1], ['counterpersist key=n', true]],
  ['returns false for an absent counter', ['counterpersist key=n', false], ['incr key=n delta=1', 1]],
  ['returns false for an expired counter', ['incr key=n delta=1 ttlMs=10', 1], 10, ['counterpersist key=n', false]],
  ['requires a key', ['counterpersist', failsWith('mandatory parameter in request: key')]],
]);
