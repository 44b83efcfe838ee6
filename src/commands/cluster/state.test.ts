import { commandCases } from '../../../test/test-service.ts';

commandCases('state', [
  ['returns the state', ['state', 'ACTIVE']],
  ['returns the state that setstate has set', ['setstate state=INACTIVE', 'setstate done'], ['state', 'INACTIVE']],
]);
