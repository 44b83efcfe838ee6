import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

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
    'extends the time to live',
    ['put key=a val=1 exp=10', true],
    ['updatettl key=a exp=100', true],
    50,
    ['get key=a', '1'],
  ],
  [
    'expires the entry immediately for a negative exp',
    ['put key=a val=1', true],
    ['updatettl key=a exp=-1', true],
    ['conkey key=a', false],
  ],
  [
    'removes the deadline for exp=0',
    ['put key=a val=1 exp=10', true],
    ['updatettl key=a exp=0', true],
    10,
    ['get key=a', '1'],
    ['updatettl key=none exp=0', false],
  ],
  ['returns false if the key does not exist', ['updatettl key=a exp=10', false]],
  ['requires exp', ['updatettl key=a', failsWith('mandatory parameter in request: ttl')]],
]);

compatibilityCases('updatettl', [
  [
    'changes nothing for exp=0',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1 exp=10', true],
    ['updatettl cacheName=c key=a exp=0', true],
    10,
    ['get cacheName=c key=a', null],
  ],
]);
