import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('rmvval', [
  ['removes the expected value', ['put key=a val=1', true], ['rmvval key=a val=1', true], ['conkey key=a', false]],
  ['leaves another value', ['put key=a val=1', true], ['rmvval key=a val=2', false], ['get key=a', '1']],
  ['is false where there is no entry', ['rmvval key=a val=1', false]],
  ['compares with the type', ['put key=a val=1', true], ['rmvval key=a val=1 valueType=int', false]],
  ['needs a value', ['rmvval key=a', refused('mandatory parameter in request: val')]],
]);
