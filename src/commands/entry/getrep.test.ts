import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('getrep', [
  ['gives null and stores nothing where there is no entry', ['getrep key=a val=1', null], ['conkey key=a', false]],
  ['gives what it replaces', ['put key=a val=1', true], ['getrep key=a val=2', '1'], ['get key=a', '2']],
  [
    'leaves a running time to live',
    ['put key=a val=1 exp=10', true],
    ['getrep key=a val=2', '1'],
    10,
    ['get key=a', null],
  ],
  ['needs a value', ['getrep key=a', refused('mandatory parameter in request: val')]],
]);
