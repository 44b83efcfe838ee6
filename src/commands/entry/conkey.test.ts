import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('conkey', [
  ['returns true for an existing entry', ['put key=a val=', true], ['conkey key=a', true]],
  ['returns false if the key does not exist', ['conkey key=a', false]],
  ['finds a value without fields', ['put key=a val={} valueType=P', true], ['conkey key=a', true]],
  [
    'finds a custom key',
    ['put key={"id":1} keyType=Id val=x', true],
    ['conkey key={"id":1} keyType=Id', true],
    ['conkey key={"id":2} keyType=Id', false],
  ],
  ['requires a key', ['conkey', failsWith('mandatory parameter in request: key')]],
]);
