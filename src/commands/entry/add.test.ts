import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('add', [
  ['stores a value if the key does not exist', ['add key=a val=1', true], ['get key=a', '1']],
  ['does not change an existing entry', ['put key=a val=1', true], ['add key=a val=2', false], ['get key=a', '1']],
  [
    'stores a value if the entry has expired',
    ['put key=a val=1 exp=10', true],
    10,
    ['add key=a val=2', true],
    ['get key=a', '2'],
  ],
  ['applies the time to live', ['add key=a val=1 exp=10', true], 10, ['get key=a', null]],
  ['distinguishes keys by type', ['put key=1 val=x', true], ['add key=1 keyType=long val=y', true], ['size', 2]],
  ['requires a value', ['add key=a', failsWith('mandatory parameter in request: val')]],
]);
