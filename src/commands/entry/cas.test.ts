import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

commandCases('cas', [
  ['replaces the expected value', ['put key=a val=1', true], ['cas key=a val=2 val2=1', true], ['get key=a', '2']],
  ['does not change any other value', ['put key=a val=1', true], ['cas key=a val=2 val2=3', false], ['get key=a', '1']],
  ['returns false if the key does not exist', ['cas key=a val=2 val2=1', false], ['conkey key=a', false]],
  [
    'compares the fields of custom values in order',
    ['put key=a val={"x":1,"y":2} valueType=P', true],
    ['cas key=a val={"z":0} val2={"y":2,"x":1} valueType=P', false],
    ['cas key=a val={"z":0} val2={"x":1,"y":2} valueType=P', true],
  ],
  [
    'requires the expected value',
    ['put key=a val=1', true],
    ['cas key=a val=2', failsWith('mandatory parameter in request: val2')],
    ['get key=a', '1'],
  ],
  [
    'requires a new value',
    ['put key=a val=1', true],
    ['cas key=a val2=1', failsWith('mandatory parameter in request: val')],
    ['get key=a', '1'],
  ],
]);

const CREATED = ['getorcreate cacheName=c', null] as const;
compatibilityCases('cas', [
  [
    'stores the value if the key does not exist and val2 is absent',
    CREATED,
    ['cas cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a val=2', false],
    ['get cacheName=c key=a', '1'],
  ],
  [
    'removes the expected value if val is absent',
    CREATED,
    ['put cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a val2=2', false],
    ['cas cacheName=c key=a val2=1', true],
    ['conkey cacheName=c key=a', false],
  ],
  [
    'removes the entry if val and val2 are absent',
    CREATED,
    ['put cacheName=c key=a val=1', true],
    ['cas cacheName=c key=a', true],
    ['cas cacheName=c key=a', false],
  ],
]);
