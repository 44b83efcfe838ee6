import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('counterttl', [
  [
    'returns what is left',
    ['incr key=n delta=1 ttlMs=1000', 1],
    ['counterttl key=n', 1_000],
    400,
    ['counterttl key=n', 600],
    599,
    ['counterttl key=n', 1],
  ],
  ['returns null without a deadline', ['incr key=n delta=1', 1], ['counterttl key=n', null]],
  ['fails for an absent counter', ['counterttl key=n', failsWith('[req=COUNTER_TTL, err=Failed to find counter: n]')]],
  [
    'fails for an expired counter',
    ['incr key=n delta=1 ttlMs=10', 1],
    10,
    ['counterttl key=n', failsWith('Failed to find counter: n')],
  ],
  ['is about counters only', ['put key=n val=1 ttlMs=1000', true], ['counterttl key=n', failsWith('find counter: n')]],
  ['requires a key', ['counterttl', failsWith('mandatory parameter in request: key')]],
]);
