import { commandCases } from '../../../test/test-service.ts';

commandCases('currentstate', [
  ['is true while active', ['currentstate', true]],
  ['is true while read-only', ['setstate state=ACTIVE_READ_ONLY', 'setstate done'], ['currentstate', true]],
  ['is false while inactive', ['setstate state=INACTIVE', 'setstate done'], ['currentstate', false]],
]);
