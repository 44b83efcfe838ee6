import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('putifabs', [
  ['stores where there is no entry', ['putifabs key=a val=1', true], ['get key=a', '1']],
  ['leaves an entry as it is', ['put key=a val=1', true], ['putifabs key=a val=2', false], ['get key=a', '1']],
  [
    'stores where the entry has expired',
    ['put key=a val=1 exp=10', true],
    10,
    ['putifabs key=a val=2', true],
    ['get key=a', '2'],
  ],
  ['sets a time to live', ['putifabs key=a val=1 exp=10', true], 10, ['get key=a', null]],
  ['looks at the type of the key', ['put key=1 val=x', true], ['putifabs key=1 keyType=long val=y', true], ['size', 2]],
  ['needs a value', ['putifabs key=a', refused('mandatory parameter in request: val')]],
]);
