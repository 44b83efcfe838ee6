import { commandCases, exactly, referenceCases, refused } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;
const DAY = ['putall k1=2018-01-02 v1=x keyType=date', true] as const;

commandCases('getall', [
  ['gives the entries that are there', TWO, ['getall k1=a k2=b k3=none', { a: '1', b: '2' }]],
  ['gives an empty object where there are none', ['getall k1=a', {}]],
  ['gives a key once that is asked for twice', TWO, ['getall k1=a k2=a', exactly('{"a":"1"}')]],
  ['stops at a gap', TWO, ['getall k1=a k3=b', { a: '1' }]],
  ['gives an array when it is asked to', TWO, ['getall k1=a asArray=true', [{ key: 'a', value: '1' }]]],
  [
    'writes a key as its type is written',
    ['putall k1=1 v1=x keyType=long', true],
    ['getall k1=1 keyType=long', { '1': 'x' }],
  ],
  ['writes a date as values are', DAY, ['getall k1=2018-01-02 keyType=date', { '2018-01-02': 'x' }]],
  [
    'keeps the type of a key in an array',
    ['putall k1=1 v1=x keyType=int', true],
    ['getall k1=1 keyType=int asArray=true', [{ key: 1, value: 'x' }]],
  ],
  ['needs keys', ['getall', refused('mandatory parameter in request: keys')]],
  ['needs the first key', ['getall k2=a', refused('mandatory parameter in request: keys')]],
  ['refuses a key that is no value of its type', ['getall k1=x keyType=int', refused('[type=int, val=x')]],
]);

commandCases('getall as an array by setting', [['gives an array', TWO, ['getall k1=a', [{ key: 'a', value: '1' }]]]], {
  service: { getallAsArray: true },
});

commandCases(
  'getall with a limit of keys',
  [['refuses more', ['getall k1=a k2=b k3=c', refused('Limit exceeded [what=keys, limit=2, actual=3]')]]],
  {
    limits: { keysPerCommand: 2 },
  },
);

referenceCases('getall', [
  [
    'writes a date in the long form',
    ['getorcreate cacheName=c', null],
    ['putall cacheName=c k1=2018-01-02 v1=x keyType=date', true],
    ['getall cacheName=c k1=2018-01-02 keyType=date', { 'Jan 2, 2018, 12:00:00 AM': 'x' }],
  ],
]);
