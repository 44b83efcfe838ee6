import { commandCases, failsWith } from '../../../test/test-service.ts';
import { entityTag } from '../../base/entity-tag.ts';

commandCases('rmvval', [
  ['removes the expected value', ['put key=a val=1', true], ['rmvval key=a val=1', true], ['conkey key=a', false]],
  ['does not change any other value', ['put key=a val=1', true], ['rmvval key=a val=2', false], ['get key=a', '1']],
  ['returns false if the key does not exist', ['rmvval key=a val=1', false]],
  ['compares the type as well', ['put key=a val=1', true], ['rmvval key=a val=1 valueType=int', false]],
  [
    'expects the value of an entity tag',
    ['put key=a val=1', true],
    [`rmvval key=a etag=${encodeURIComponent(entityTag('"2"'))}`, false],
    [`rmvval key=a etag=${encodeURIComponent(entityTag('"1"'))}`, true],
    ['conkey key=a', false],
  ],
  ['requires a value', ['rmvval key=a', failsWith('mandatory parameter in request: val')]],
]);
