import { commandCases, compatibilityCases, exactly, failsWith } from '../../../test/test-service.ts';

commandCases('put', [
  ['stores a value', ['put key=a val=1', true], ['get key=a', '1']],
  ['overwrites a value', ['put key=a val=1', true], ['put key=a val=2', true], ['get key=a', '2'], ['size', 1]],
  [
    'returns whether the entry is new',
    ['put key=a val=1 created=true', true],
    ['put key=a val=2 created=true', false],
    ['put key=a val=3 created=false', true],
    ['get key=a', '3'],
  ],
  [
    'replaces the type together with the value',
    ['put key=a val=1', true],
    ['put key=a val=1 valueType=int', true],
    ['get key=a', 1],
  ],
  ['preserves every character', ['put key=%C3%A4%20/ val=%F0%9F%98%80%0A', true], ['get key=%C3%A4%20/', '😀\n']],
  ['says that exp is in milliseconds', ['put key=a val=1 exp=1h', failsWith('exp is a number of milliseconds')]],
  ['says how arrays are named', ['put key=a val=[1] valueType=int[]', failsWith('arrays are named as in Java: "[I"')]],
  ['stores a custom value', ['put key=a val={"x":1,"y":[2]} valueType=P', true], ['get key=a', { x: 1, y: [2] }]],
  [
    'preserves the scale of a decimal',
    ['put key=a val=1.50 valueType=java.math.BigDecimal', true],
    ['get key=a', exactly('1.50')],
  ],
  ['expires the entry after exp milliseconds', ['put key=a val=1 exp=50', true], 50, ['conkey key=a', false]],
  [
    'keeps the deadline if a later put has no exp',
    ['put key=a val=1 exp=50', true],
    30,
    ['put key=a val=2', true],
    20,
    ['get key=a', null],
  ],
  [
    'restarts the time to live with a later exp',
    ['put key=a val=1 exp=50', true],
    30,
    ['put key=a val=2 exp=50', true],
    30,
    ['get key=a', '2'],
  ],
  ['sets no time to live for exp=0', ['put key=a val=1 exp=0', true], 1_000_000, ['get key=a', '1']],
  [
    'rejects a value that is invalid for its type',
    ['put key=a val=1.5 valueType=int', failsWith('[type=int, val=1.5')],
    ['conkey key=a', false],
  ],
  [
    'rejects a date that does not exist',
    ['put key=a val=2019-02-30 valueType=date', failsWith('Failed to convert value')],
  ],
  ['requires a value', ['put key=a', failsWith('mandatory parameter in request: val')]],
  [
    'treats JSON null as an absent value',
    ['put key=a val=null valueType=P', failsWith('mandatory parameter in request: val')],
  ],
  [
    'rejects an unknown cache',
    ['put cacheName=none key=a val=1', failsWith('Failed to find cache for given cache name: none')],
  ],
  ['rejects val1', ['put key=a val=1 val1=2', failsWith('Did you mean "val"?')], ['get key=a', null]],
]);

compatibilityCases('put', [
  [
    'uses val1 instead of val',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1 val1=2', true],
    ['get cacheName=c key=a', '2'],
  ],
  ['requires a cache name', ['put key=a val=1', failsWith('mandatory parameter in request: cacheName')]],
]);

const fields = [
  { name: 'id', type: { kind: 'scalar', type: 'integer' } },
  { name: 'name', type: { kind: 'scalar', type: 'string' } },
] as const;
const caches = [{ name: 'people', entities: [{ keyType: 'integer', valueType: 'Person', fields }] }];

commandCases(
  'put to a cache with a query entity',
  [
    [
      'stores a value without the fields that it lacks',
      ['put cacheName=people key=1 keyType=int val={"id":7} valueType=Person', true],
      ['get cacheName=people key=1 keyType=int', exactly('{"id":7}')],
    ],
  ],
  { caches },
);

commandCases(
  'put to a cache with a query entity in compatibility mode reference',
  [
    [
      'stores null in the fields that a value lacks',
      ['put cacheName=people key=1 keyType=int val={"id":7,"more":1} valueType=Person', true],
      ['get cacheName=people key=1 keyType=int', exactly('{"id":7,"name":null,"more":1}')],
      ['repval cacheName=people key=1 keyType=int val={} val2={"more":1,"id":7} valueType=Person', true],
      ['get cacheName=people key=1 keyType=int', exactly('{"id":null,"name":null}')],
    ],
  ],
  { caches, compatibility: 'reference' },
);
