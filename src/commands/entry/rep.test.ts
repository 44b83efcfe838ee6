import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('rep', [
  ['stores nothing where there is no entry', ['rep key=a val=1', false], ['conkey key=a', false]],
  ['replaces', ['put key=a val=1', true], ['rep key=a val=2', true], ['get key=a', '2']],
  ['replaces by the same value', ['put key=a val=1', true], ['rep key=a val=1', true]],
  ['sets a time to live', ['put key=a val=1', true], ['rep key=a val=2 exp=10', true], 10, ['get key=a', null]],
  ['finds no expired entry', ['put key=a val=1 exp=10', true], 10, ['rep key=a val=2', false], ['conkey key=a', false]],
  ['needs a value', ['rep key=a', refused('mandatory parameter in request: val')]],
]);
