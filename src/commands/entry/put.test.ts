import { commandCases, exactly, referenceCases, refused } from '../../../test/test-service.ts';

commandCases('put', [
  ['stores', ['put key=a val=1', true], ['get key=a', '1']],
  ['overwrites', ['put key=a val=1', true], ['put key=a val=2', true], ['get key=a', '2'], ['size', 1]],
  [
    'changes the type with the value',
    ['put key=a val=1', true],
    ['put key=a val=1 valueType=int', true],
    ['get key=a', 1],
  ],
  ['keeps texts as they are', ['put key=%C3%A4%20/ val=%F0%9F%98%80%0A', true], ['get key=%C3%A4%20/', '😀\n']],
  ['keeps a custom value', ['put key=a val={"x":1,"y":[2]} valueType=P', true], ['get key=a', { x: 1, y: [2] }]],
  [
    'keeps a decimal to its last digit',
    ['put key=a val=1.50 valueType=java.math.BigDecimal', true],
    ['get key=a', exactly('1.50')],
  ],
  ['ends the entry after exp', ['put key=a val=1 exp=50', true], 50, ['conkey key=a', false]],
  [
    'a later put leaves the deadline as it is',
    ['put key=a val=1 exp=50', true],
    30,
    ['put key=a val=2', true],
    20,
    ['get key=a', null],
  ],
  [
    'a later exp counts anew',
    ['put key=a val=1 exp=50', true],
    30,
    ['put key=a val=2 exp=50', true],
    30,
    ['get key=a', '2'],
  ],
  ['exp of 0 sets none', ['put key=a val=1 exp=0', true], 1_000_000, ['get key=a', '1']],
  [
    'refuses a value that is none of its type',
    ['put key=a val=1.5 valueType=int', refused('[type=int, val=1.5')],
    ['conkey key=a', false],
  ],
  ['refuses a date that there is not', ['put key=a val=2019-02-30 valueType=date', refused('Failed to convert value')]],
  ['needs a value', ['put key=a', refused('mandatory parameter in request: val')]],
  ['JSON null is no value', ['put key=a val=null valueType=P', refused('mandatory parameter in request: val')]],
  [
    'needs a cache that exists',
    ['put cacheName=none key=a val=1', refused('Failed to find cache for given cache name: none')],
  ],
  ['val1 is no parameter', ['put key=a val=1 val1=2', true], ['get key=a', '1']],
]);

referenceCases('put', [
  [
    'val1 replaces val',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1 val1=2', true],
    ['get cacheName=c key=a', '2'],
  ],
  ['there is no default cache', ['put key=a val=1', refused('mandatory parameter in request: cacheName')]],
]);
