import { commandCases, exactly, refused } from '../../../test/test-service.ts';

const LIST = 'valueType=java.util.ArrayList';
const MAP = 'valueType=java.util.HashMap';

commandCases('append', [
  ['adds behind a text', ['put key=a val=red', true], ['append key=a val=dish', true], ['get key=a', 'reddish']],
  ['stores nothing where there is no entry', ['append key=a val=x', false], ['conkey key=a', false]],
  [
    'adds behind a list',
    [`put key=a val=[1,2] ${LIST}`, true],
    [`append key=a val=[3] ${LIST}`, true],
    ['get key=a', [1, 2, 3]],
  ],
  [
    'lets its own members of a map win',
    [`put key=a val={"x":1,"y":2} ${MAP}`, true],
    [`append key=a val={"y":3,"z":4} ${MAP}`, true],
    ['get key=a', { x: 1, y: 3, z: 4 }],
  ],
  [
    'refuses a number and changes nothing',
    ['put key=a val=5 valueType=int', true],
    ['append key=a val=6 valueType=int', refused('Incompatible types [appendVal=6')],
    ['get key=a', exactly('5')],
  ],
  [
    'refuses a text behind a list',
    [`put key=a val=[1] ${LIST}`, true],
    ['append key=a val=x', refused('Incompatible types')],
  ],
  [
    'leaves a running time to live',
    ['put key=a val=1 exp=10', true],
    ['append key=a val=2', true],
    10,
    ['get key=a', null],
  ],
  [
    'misses the value only when there is the cache',
    ['append key=a', refused('mandatory parameter in request: val')],
    ['append cacheName=none key=a', refused('Failed to find cache for given cache name: none')],
  ],
]);
