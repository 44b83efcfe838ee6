import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('getrep', [
  ['returns null and stores nothing if the key does not exist', ['getrep key=a val=1', null], ['conkey key=a', false]],
  ['returns the previous value', ['put key=a val=1', true], ['getrep key=a val=2', '1'], ['get key=a', '2']],
  ['keeps the time to live', ['put key=a val=1 exp=10', true], ['getrep key=a val=2', '1'], 10, ['get key=a', null]],
  ['requires a value', ['getrep key=a', failsWith('mandatory parameter in request: val')]],
]);
