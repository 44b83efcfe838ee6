import { userSet } from '../../../test/fixtures/commands/user-set.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases(
  'adduser',
  [
    ['adds a user', ['adduser user=ann password=secret', true]],
    ['reports an absent name as empty', ['adduser password=secret', failsWith('User name is empty')]],
    ['reports an empty name', ['adduser user= password=secret', failsWith('User name is empty')]],
    ['requires a password', ['adduser user=ann', failsWith('mandatory parameter in request: password')]],
    ['returns the error of the user service', ['adduser user=taken password=secret', failsWith('taken')]],
  ],
  { users: userSet() },
);

commandCases('adduser without authentication', [
  ['fails', ['adduser user=ann password=secret', failsWith('Operation cannot be performed: security disabled.')]],
]);
