import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('getputifabs', [
  [
    'stores the value and returns null if the key does not exist',
    ['getputifabs key=a val=1', null],
    ['get key=a', '1'],
  ],
  [
    'returns the existing value and keeps it',
    ['put key=a val=1', true],
    ['getputifabs key=a val=2', '1'],
    ['get key=a', '1'],
  ],
  ['ignores exp', ['getputifabs key=a val=1 exp=10', null], 10, ['get key=a', '1']],
  ['requires a value', ['getputifabs key=a', failsWith('mandatory parameter in request: val')]],
]);
