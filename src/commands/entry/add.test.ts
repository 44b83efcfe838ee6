import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('add', [
  ['stores where there is no entry', ['add key=a val=1', true], ['get key=a', '1']],
  ['leaves an entry as it is', ['put key=a val=1', true], ['add key=a val=2', false], ['get key=a', '1']],
  [
    'stores where the entry has expired',
    ['put key=a val=1 exp=10', true],
    10,
    ['add key=a val=2', true],
    ['get key=a', '2'],
  ],
  ['sets a time to live', ['add key=a val=1 exp=10', true], 10, ['get key=a', null]],
  ['looks at the type of the key', ['put key=1 val=x', true], ['add key=1 keyType=long val=y', true], ['size', 2]],
  ['needs a value', ['add key=a', refused('mandatory parameter in request: val')]],
]);
