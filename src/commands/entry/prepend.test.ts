import { commandCases, refused } from '../../../test/test-service.ts';

const LIST = 'valueType=java.util.ArrayList';
const MAP = 'valueType=java.util.HashMap';

commandCases('prepend', [
  ['adds before a text', ['put key=a val=red', true], ['prepend key=a val=dark-', true], ['get key=a', 'dark-red']],
  ['stores nothing where there is no entry', ['prepend key=a val=x', false], ['conkey key=a', false]],
  [
    'adds before a list',
    [`put key=a val=[1,2] ${LIST}`, true],
    [`prepend key=a val=[3] ${LIST}`, true],
    ['get key=a', [3, 1, 2]],
  ],
  [
    'keeps the members that a map has',
    [`put key=a val={"x":1,"y":2} ${MAP}`, true],
    [`prepend key=a val={"y":3,"z":4} ${MAP}`, true],
    ['get key=a', { x: 1, y: 2, z: 4 }],
  ],
  [
    'refuses a number and changes nothing',
    ['put key=a val=5 valueType=int', true],
    ['prepend key=a val=6 valueType=int', refused('Incompatible types')],
    ['get key=a', 5],
  ],
  [
    'misses the value only when there is the cache',
    ['prepend key=a', refused('mandatory parameter in request: val')],
    ['prepend cacheName=none key=a', refused('Failed to find cache for given cache name: none')],
  ],
]);
