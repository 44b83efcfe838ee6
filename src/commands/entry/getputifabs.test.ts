import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('getputifabs', [
  ['gives null and stores where there was no entry', ['getputifabs key=a val=1', null], ['get key=a', '1']],
  [
    'gives what is there and changes nothing',
    ['put key=a val=1', true],
    ['getputifabs key=a val=2', '1'],
    ['get key=a', '1'],
  ],
  ['takes no time to live', ['getputifabs key=a val=1 exp=10', null], 10, ['get key=a', '1']],
  ['needs a value', ['getputifabs key=a', refused('mandatory parameter in request: val')]],
]);
