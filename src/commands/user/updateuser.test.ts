import { userSet } from '../../../test/fixtures/commands/user-set.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases(
  'updateuser',
  [
    ['changes a password', ['updateuser user=taken password=secret', true]],
    ['requires a name', ['updateuser password=secret', failsWith('mandatory parameter in request: user')]],
    ['requires a password', ['updateuser user=ann', failsWith('mandatory parameter in request: password')]],
    ['returns the error of the user service', ['updateuser user=none password=secret', failsWith('none')]],
  ],
  { users: userSet() },
);
