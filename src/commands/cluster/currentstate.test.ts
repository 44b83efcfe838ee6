import { commandCases } from '../../../test/test-service.ts';

commandCases('currentstate', [
  ['returns true while active', ['currentstate', true]],
  ['returns true while read-only', ['setstate state=ACTIVE_READ_ONLY', 'setstate done'], ['currentstate', true]],
  ['returns false while inactive', ['setstate state=INACTIVE', 'setstate done'], ['currentstate', false]],
]);
