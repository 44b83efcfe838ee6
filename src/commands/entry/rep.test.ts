import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('rep', [
  ['returns false and stores nothing if the key does not exist', ['rep key=a val=1', false], ['conkey key=a', false]],
  ['replaces a value', ['put key=a val=1', true], ['rep key=a val=2', true], ['get key=a', '2']],
  ['returns true if the new value is the same', ['put key=a val=1', true], ['rep key=a val=1', true]],
  ['applies the time to live', ['put key=a val=1', true], ['rep key=a val=2 exp=10', true], 10, ['get key=a', null]],
  [
    'returns false for an expired entry',
    ['put key=a val=1 exp=10', true],
    10,
    ['rep key=a val=2', false],
    ['conkey key=a', false],
  ],
  ['requires a value', ['rep key=a', failsWith('mandatory parameter in request: val')]],
]);
