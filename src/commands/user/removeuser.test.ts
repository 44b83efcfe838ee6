import { userSet } from '../../../test/fixtures/commands/user-set.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases(
  'removeuser',
  [
    ['removes a user', ['removeuser user=taken', true]],
    ['requires a name', ['removeuser', failsWith('mandatory parameter in request: user')]],
    ['returns the error of the user service', ['removeuser user=none', failsWith('none')]],
  ],
  { users: userSet() },
);
