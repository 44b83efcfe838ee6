import { commandCases, failsWith } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;

commandCases('conkeys', [
  ['returns true when every key has an entry', TWO, ['conkeys k1=a k2=b', true]],
  ['returns false when a key has no entry', TWO, ['conkeys k1=a k2=none', false]],
  ['requires keys', ['conkeys', failsWith('mandatory parameter in request: keys')]],
]);
