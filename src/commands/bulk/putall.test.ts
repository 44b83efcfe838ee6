import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('putall', [
  ['stores all', ['putall k1=a v1=1 k2=b v2=2', true], ['getall k1=a k2=b', { a: '1', b: '2' }]],
  ['lets the later value of a key win', ['putall k1=a v1=1 k2=a v2=2', true], ['get key=a', '2'], ['size', 1]],
  [
    'stores nothing when one value is none of its type',
    ['putall k1=a v1=1 k2=b v2=x valueType=int', refused('[type=int, val=x')],
    ['size', 0],
  ],
  [
    'has one type for all keys and one for all values',
    ['putall k1=1 v1=2 keyType=int valueType=long', true],
    ['get key=1 keyType=int', 2],
  ],
  [
    'refuses more values than keys',
    ['putall k1=a v1=1 v2=2', refused('Number of keys must be greater or equals to number of values.')],
    ['size', 0],
  ],
  [
    'refuses fewer values than keys',
    ['putall k1=a k2=b v1=1', refused('Failing putAll operation (null values are not allowed).')],
    ['size', 0],
  ],
  ['names the values when there are no keys', ['putall', refused('mandatory parameter in request: values')]],
  ['stores an empty text', ['putall k1= v1=', true], ['get key=', '']],
]);
