import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('rmv', [
  ['removes an entry', ['put key=a val=1', true], ['rmv key=a', true], ['conkey key=a', false]],
  ['returns false if the key does not exist', ['rmv key=a', false]],
  ['returns false for an expired entry', ['put key=a val=1 exp=10', true], 10, ['rmv key=a', false]],
  [
    'removes only a key of the given type',
    ['put key=1 val=x', true],
    ['rmv key=1 keyType=int', false],
    ['get key=1', 'x'],
  ],
  [
    'removes the time to live as well',
    ['put key=a val=1 exp=10', true],
    ['rmv key=a', true],
    ['put key=a val=2', true],
    10,
    ['get key=a', '2'],
  ],
  ['requires a key', ['rmv', failsWith('mandatory parameter in request: key')]],
]);
