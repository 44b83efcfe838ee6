import { commandCases, failsWith } from '../../../test/test-service.ts';
import { entityTag } from '../../base/entity-tag.ts';

commandCases('repval', [
  ['replaces the expected value', ['put key=a val=1', true], ['repval key=a val=2 val2=1', true], ['get key=a', '2']],
  [
    'does not change any other value',
    ['put key=a val=1', true],
    ['repval key=a val=2 val2=3', false],
    ['get key=a', '1'],
  ],
  ['returns false if the key does not exist', ['repval key=a val=2 val2=1', false], ['conkey key=a', false]],
  [
    'compares the type as well',
    ['put key=a val=1 valueType=int', true],
    ['repval key=a val=2 val2=1 valueType=long', false],
  ],
  [
    'treats NaN as equal to NaN',
    ['put key=a val=NaN valueType=double', true],
    ['repval key=a val=1 val2=NaN valueType=double', true],
  ],
  [
    'distinguishes 0.0 from -0.0',
    ['put key=a val=-0.0 valueType=double', true],
    ['repval key=a val=1 val2=0.0 valueType=double', false],
  ],
  [
    'reports a missing val2 as oldVal, like Ignite',
    ['put key=a val=1', true],
    ['repval key=a val=2', failsWith('Ouch! Argument cannot be null: val2')],
  ],
  [
    'expects the value of an entity tag',
    ['put key=a val=1', true],
    [`repval key=a val=2 valueType=int etag=${encodeURIComponent('"x"')}`, false],
    [`repval key=a val=2 valueType=int etag=${encodeURIComponent(`"x", ${entityTag('"1"')}`)}`, true],
    ['get key=a', 2],
    [`repval key=b val=2 etag=${encodeURIComponent(entityTag('"1"'))}`, false],
    ['repval key=a val=2 val2=1 etag=x', failsWith('cannot be combined')],
  ],
  ['requires a value', ['repval key=a val2=1', failsWith('mandatory parameter in request: val')]],
]);
