import { commandCases, failsWith } from '../../../test/test-service.ts';

const LIST = 'valueType=java.util.ArrayList';
const MAP = 'valueType=java.util.HashMap';

commandCases('prepend', [
  ['prepends to a string', ['put key=a val=red', true], ['prepend key=a val=dark-', true], ['get key=a', 'dark-red']],
  [
    'returns false and stores nothing if the key does not exist',
    ['prepend key=a val=x', false],
    ['conkey key=a', false],
  ],
  [
    'prepends to a list',
    [`put key=a val=[1,2] ${LIST}`, true],
    [`prepend key=a val=[3] ${LIST}`, true],
    ['get key=a', [3, 1, 2]],
  ],
  [
    'keeps existing members of a map',
    [`put key=a val={"x":1,"y":2} ${MAP}`, true],
    [`prepend key=a val={"y":3,"z":4} ${MAP}`, true],
    ['get key=a', { x: 1, y: 2, z: 4 }],
  ],
  [
    'rejects a number and keeps the value',
    ['put key=a val=5 valueType=int', true],
    ['prepend key=a val=6 valueType=int', failsWith('Incompatible types')],
    ['get key=a', 5],
  ],
  [
    'reports an unknown cache before a missing value',
    ['prepend key=a', failsWith('mandatory parameter in request: val')],
    ['prepend cacheName=none key=a', failsWith('Failed to find cache for given cache name: none')],
  ],
]);
