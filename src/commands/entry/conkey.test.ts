import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('conkey', [
  ['is true where there is an entry', ['put key=a val=', true], ['conkey key=a', true]],
  ['is false where there is none', ['conkey key=a', false]],
  ['finds an object without fields', ['put key=a val={} valueType=P', true], ['conkey key=a', true]],
  [
    'finds a custom key',
    ['put key={"id":1} keyType=Id val=x', true],
    ['conkey key={"id":1} keyType=Id', true],
    ['conkey key={"id":2} keyType=Id', false],
  ],
  ['needs a key', ['conkey', refused('mandatory parameter in request: key')]],
]);
