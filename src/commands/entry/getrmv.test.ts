import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('getrmv', [
  [
    'gives what it removes',
    ['put key=a val=1.5 valueType=double', true],
    ['getrmv key=a', 1.5],
    ['conkey key=a', false],
  ],
  ['gives null where there is no entry', ['getrmv key=a', null]],
  ['needs a key', ['getrmv', refused('mandatory parameter in request: key')]],
]);
