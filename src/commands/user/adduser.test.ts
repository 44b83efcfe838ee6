import { commandCases, refused } from '../../../test/test-service.ts';
import { userSet } from './user-set.fixture.ts';

commandCases(
  'adduser',
  [
    ['adds a user', ['adduser user=ann password=secret', true]],
    ['needs a name', ['adduser password=secret', refused('mandatory parameter in request: user')]],
    ['needs a password', ['adduser user=ann', refused('mandatory parameter in request: password')]],
    ['passes a refusal on', ['adduser user=taken password=secret', refused('taken')]],
  ],
  { users: userSet() },
);

commandCases('adduser without authentication', [
  ['is refused', ['adduser user=ann password=secret', refused('Operation cannot be performed: security disabled.')]],
]);
