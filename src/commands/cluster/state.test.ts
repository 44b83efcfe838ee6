import { commandCases } from '../../../test/test-service.ts';

commandCases('state', [
  ['names the state', ['state', 'ACTIVE']],
  ['follows setstate', ['setstate state=INACTIVE', 'setstate done'], ['state', 'INACTIVE']],
]);
