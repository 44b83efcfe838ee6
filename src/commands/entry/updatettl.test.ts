import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('updatettl', [
  [
    'sets the time to live of an entry without one',
    ['put key=a val=1', true],
    ['updatettl key=a exp=10', true],
    9,
    ['get key=a', '1'],
    1,
    ['get key=a', null],
  ],
  [
    'lengthens a running one',
    ['put key=a val=1 exp=10', true],
    ['updatettl key=a exp=100', true],
    50,
    ['get key=a', '1'],
  ],
  [
    'a negative one ends the entry at once',
    ['put key=a val=1', true],
    ['updatettl key=a exp=-1', true],
    ['conkey key=a', false],
  ],
  ['0 changes nothing', ['put key=a val=1 exp=10', true], ['updatettl key=a exp=0', true], 10, ['get key=a', null]],
  ['is false where there is no entry', ['updatettl key=a exp=10', false]],
  ['needs the time', ['updatettl key=a', refused('mandatory parameter in request: ttl')]],
]);
