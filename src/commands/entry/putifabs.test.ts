import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('putifabs', [
  ['stores a value if the key does not exist', ['putifabs key=a val=1', true], ['get key=a', '1']],
  ['does not change an existing entry', ['put key=a val=1', true], ['putifabs key=a val=2', false], ['get key=a', '1']],
  [
    'stores a value if the entry has expired',
    ['put key=a val=1 exp=10', true],
    10,
    ['putifabs key=a val=2', true],
    ['get key=a', '2'],
  ],
  ['applies the time to live', ['putifabs key=a val=1 exp=10', true], 10, ['get key=a', null]],
  ['distinguishes keys by type', ['put key=1 val=x', true], ['putifabs key=1 keyType=long val=y', true], ['size', 2]],
  ['requires a value', ['putifabs key=a', failsWith('mandatory parameter in request: val')]],
]);
