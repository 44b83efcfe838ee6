import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('getrmv', [
  [
    'returns the removed value',
    ['put key=a val=1.5 valueType=double', true],
    ['getrmv key=a', 1.5],
    ['conkey key=a', false],
  ],
  ['returns null if the key does not exist', ['getrmv key=a', null]],
  ['requires a key', ['getrmv', failsWith('mandatory parameter in request: key')]],
]);
