import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('getput', [
  ['gives null and stores where there was no entry', ['getput key=a val=1', null], ['get key=a', '1']],
  ['gives what it replaces', ['put key=a val=1', true], ['getput key=a val=2', '1'], ['get key=a', '2']],
  ['gives it with its type', ['put key=a val=1 valueType=int', true], ['getput key=a val=2', 1]],
  ['takes no time to live', ['getput key=a val=1 exp=10', null], 10, ['get key=a', '1']],
  ['leaves a running one', ['put key=a val=1 exp=10', true], ['getput key=a val=2', '1'], 10, ['get key=a', null]],
  ['needs a value', ['getput key=a', refused('mandatory parameter in request: val')]],
]);
