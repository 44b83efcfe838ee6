import { commandCases, exactly, failsWith } from '../../../test/test-service.ts';

const LIST = 'valueType=java.util.ArrayList';
const MAP = 'valueType=java.util.HashMap';

commandCases('append', [
  ['appends to a string', ['put key=a val=red', true], ['append key=a val=dish', true], ['get key=a', 'reddish']],
  [
    'returns false and stores nothing if the key does not exist',
    ['append key=a val=x', false],
    ['conkey key=a', false],
  ],
  [
    'appends to a list',
    [`put key=a val=[1,2] ${LIST}`, true],
    [`append key=a val=[3] ${LIST}`, true],
    ['get key=a', [1, 2, 3]],
  ],
  [
    'overwrites existing members of a map',
    [`put key=a val={"x":1,"y":2} ${MAP}`, true],
    [`append key=a val={"y":3,"z":4} ${MAP}`, true],
    ['get key=a', { x: 1, y: 3, z: 4 }],
  ],
  [
    'rejects a number and keeps the value',
    ['put key=a val=5 valueType=int', true],
    ['append key=a val=6 valueType=int', failsWith('Incompatible types [val=6, type=integer, storedType=integer]')],
    ['get key=a', exactly('5')],
  ],
  [
    'rejects a string for a list',
    [`put key=a val=[1] ${LIST}`, true],
    ['append key=a val=x', failsWith('Incompatible types')],
  ],
  ['keeps the time to live', ['put key=a val=1 exp=10', true], ['append key=a val=2', true], 10, ['get key=a', null]],
  [
    'reports an unknown cache before a missing value',
    ['append key=a', failsWith('mandatory parameter in request: val')],
    ['append cacheName=none key=a', failsWith('Failed to find cache for given cache name: none')],
  ],
]);
