import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;

commandCases('rmvall', [
  ['removes the given keys', TWO, ['rmvall k1=a k2=none', true], ['getall k1=a k2=b', { b: '2' }]],
  ['returns true for a missing key', ['rmvall k1=a', true]],
  ['removes nothing without keys', TWO, ['rmvall', failsWith('mandatory parameter in request: keys')], ['size', 2]],
  [
    'removes nothing when the keys are numbered from 2',
    TWO,
    ['rmvall k2=a', failsWith('mandatory parameter in request: k1')],
    ['size', 2],
  ],
]);

compatibilityCases('rmvall', [
  [
    'clears the cache without keys',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['rmvall cacheName=c', true],
    ['size cacheName=c', 0],
  ],
]);
