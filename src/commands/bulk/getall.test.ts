import { commandCases, compatibilityCases, exactly, failsWith } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;
const DAY = ['putall k1=2018-01-02 v1=x keyType=date', true] as const;

commandCases('getall', [
  ['returns the entries that exist', TWO, ['getall k1=a k2=b k3=none', { a: '1', b: '2' }]],
  ['returns an empty object when no key has an entry', ['getall k1=a', {}]],
  ['returns a duplicate key once', TWO, ['getall k1=a k2=a', exactly('{"a":"1"}')]],
  ['returns an array with asArray=true', TWO, ['getall k1=a asArray=true', [{ key: 'a', value: '1' }]]],
  [
    'writes a key in the text form of its type',
    ['putall k1=1 v1=x keyType=long', true],
    ['getall k1=1 keyType=long', { '1': 'x' }],
  ],
  ['writes a date key like a date value', DAY, ['getall k1=2018-01-02 keyType=date', { '2018-01-02': 'x' }]],
  [
    'preserves the type of a key in an array',
    ['putall k1=1 v1=x keyType=int', true],
    ['getall k1=1 keyType=int asArray=true', [{ key: 1, value: 'x' }]],
  ],
  ['requires keys', ['getall', failsWith('mandatory parameter in request: keys')]],
  ['rejects a key that is invalid for its type', ['getall k1=x keyType=int', failsWith('[type=int, val=x')]],
]);

commandCases(
  'getall with getallAsArray configured',
  [
    [
      'returns an array of keys and values where the option says so [4.6.4, 8.13]',
      TWO,
      ['getall k1=a', [{ key: 'a', value: '1' }]],
    ],
  ],
  {
    service: { getallAsArray: true },
  },
);

commandCases(
  'getall with a limit of keys',
  [
    [
      'rejects more keys than the limit',
      [
        'getall k1=a k2=b k3=c',
        failsWith('Limit exceeded [what=keys, limit=2, actual=3, option=limits.keysPerCommand]'),
      ],
    ],
  ],
  {
    limits: { keysPerCommand: 2 },
  },
);

compatibilityCases('getall', [
  [
    'ignores keys after a gap',
    ['getorcreate cacheName=c', null],
    ['putall cacheName=c k1=a v1=1 k2=b v2=2', true],
    ['getall cacheName=c k1=a k3=b', { a: '1' }],
    ['getall cacheName=c k2=a', failsWith('mandatory parameter in request: keys')],
  ],
  [
    'writes a date key in the long form',
    ['getorcreate cacheName=c', null],
    ['putall cacheName=c k1=2018-01-02 v1=x keyType=date', true],
    ['getall cacheName=c k1=2018-01-02 keyType=date', { 'Jan 2, 2018, 12:00:00 AM': 'x' }],
  ],
]);
