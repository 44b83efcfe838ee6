import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('putall', [
  ['stores all entries', ['putall k1=a v1=1 k2=b v2=2', true], ['getall k1=a k2=b', { a: '1', b: '2' }]],
  ['stores the last value of a duplicate key', ['putall k1=a v1=1 k2=a v2=2', true], ['get key=a', '2'], ['size', 1]],
  [
    'stores nothing when a value is invalid for its type',
    ['putall k1=a v1=1 k2=b v2=x valueType=int', failsWith('[type=int, val=x')],
    ['size', 0],
  ],
  [
    'applies keyType to all keys and valueType to all values',
    ['putall k1=1 v1=2 keyType=int valueType=long', true],
    ['get key=1 keyType=int', 2],
  ],
  [
    'rejects more values than keys',
    ['putall k1=a v1=1 v2=2', failsWith('Number of keys must be greater or equals to number of values.')],
    ['size', 0],
  ],
  [
    'rejects fewer values than keys',
    ['putall k1=a k2=b v1=1', failsWith('Failing putAll operation (null values are not allowed).')],
    ['size', 0],
  ],
  ['reports missing values when there are no keys', ['putall', failsWith('mandatory parameter in request: values')]],
  ['stores an empty string', ['putall k1= v1=', true], ['get key=', '']],
]);
