import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('getput', [
  ['stores the value and returns null if the key does not exist', ['getput key=a val=1', null], ['get key=a', '1']],
  ['returns the previous value', ['put key=a val=1', true], ['getput key=a val=2', '1'], ['get key=a', '2']],
  ['returns the previous value in its own type', ['put key=a val=1 valueType=int', true], ['getput key=a val=2', 1]],
  ['ignores exp', ['getput key=a val=1 exp=10', null], 10, ['get key=a', '1']],
  ['keeps the time to live', ['put key=a val=1 exp=10', true], ['getput key=a val=2', '1'], 10, ['get key=a', null]],
  ['requires a value', ['getput key=a', failsWith('mandatory parameter in request: val')]],
]);
