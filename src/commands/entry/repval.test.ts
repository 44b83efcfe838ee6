import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('repval', [
  ['replaces the expected value', ['put key=a val=1', true], ['repval key=a val=2 val2=1', true], ['get key=a', '2']],
  ['leaves another value', ['put key=a val=1', true], ['repval key=a val=2 val2=3', false], ['get key=a', '1']],
  ['is false where there is no entry', ['repval key=a val=2 val2=1', false], ['conkey key=a', false]],
  [
    'compares with the type',
    ['put key=a val=1 valueType=int', true],
    ['repval key=a val=2 val2=1 valueType=long', false],
  ],
  [
    'NaN equals NaN',
    ['put key=a val=NaN valueType=double', true],
    ['repval key=a val=1 val2=NaN valueType=double', true],
  ],
  [
    '0.0 is not -0.0',
    ['put key=a val=-0.0 valueType=double', true],
    ['repval key=a val=1 val2=0.0 valueType=double', false],
  ],
  [
    'names what it misses as Ignite does',
    ['put key=a val=1', true],
    ['repval key=a val=2', refused('Ouch! Argument cannot be null: oldVal')],
  ],
  ['needs a value', ['repval key=a val2=1', refused('mandatory parameter in request: val')]],
]);
