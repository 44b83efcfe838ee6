import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('rmv', [
  ['removes', ['put key=a val=1', true], ['rmv key=a', true], ['conkey key=a', false]],
  ['is false where there is no entry', ['rmv key=a', false]],
  ['is false for an expired entry', ['put key=a val=1 exp=10', true], 10, ['rmv key=a', false]],
  ['removes the key of its type only', ['put key=1 val=x', true], ['rmv key=1 keyType=int', false], ['get key=1', 'x']],
  [
    'takes the time to live with it',
    ['put key=a val=1 exp=10', true],
    ['rmv key=a', true],
    ['put key=a val=2', true],
    10,
    ['get key=a', '2'],
  ],
  ['needs a key', ['rmv', refused('mandatory parameter in request: key')]],
]);
