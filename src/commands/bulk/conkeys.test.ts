import { commandCases, refused } from '../../../test/test-service.ts';

const TWO = ['putall k1=a v1=1 k2=b v2=2', true] as const;

commandCases('conkeys', [
  ['is true when every key has an entry', TWO, ['conkeys k1=a k2=b', true]],
  ['is false when one has none', TWO, ['conkeys k1=a k2=none', false]],
  ['looks at the keys before a gap only', TWO, ['conkeys k1=a k3=none', true]],
  ['needs keys', ['conkeys', refused('mandatory parameter in request: keys')]],
]);
