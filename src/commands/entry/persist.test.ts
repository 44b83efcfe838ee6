import { commandCases } from '../../../test/test-service.ts';

commandCases('persist', [
  [
    'persist removes the deadline [11.5]',
    ['put key=a val=1 ttlMs=10', true],
    ['persist key=a', true],
    ['ttl key=a', null],
    10,
    ['get key=a', '1'],
  ],
  ['returns true for an entry without a deadline', ['put key=a val=1', true], ['persist key=a', true]],
  ['returns false for an absent key', ['persist key=a', false]],
  ['returns false for an expired entry', ['put key=a val=1 ttlMs=10', true], 10, ['persist key=a', false]],
]);
