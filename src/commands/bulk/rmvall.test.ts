import { commandCases, referenceCases, refused } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;

commandCases('rmvall', [
  ['removes the named entries', TWO, ['rmvall k1=a k2=none', true], ['getall k1=a k2=b', { b: '2' }]],
  ['is true where there was none', ['rmvall k1=a', true]],
  ['empties nothing by omission', TWO, ['rmvall', refused('mandatory parameter in request: keys')], ['size', 2]],
  [
    'nor when the numbers begin at 2',
    TWO,
    ['rmvall k2=a', refused('mandatory parameter in request: keys')],
    ['size', 2],
  ],
]);

referenceCases('rmvall', [
  [
    'without keys it empties the cache',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['rmvall cacheName=c', true],
    ['size cacheName=c', 0],
  ],
]);
