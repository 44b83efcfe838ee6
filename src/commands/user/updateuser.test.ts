import { commandCases, refused } from '../../../test/test-service.ts';
import { userSet } from './user-set.fixture.ts';

commandCases(
  'updateuser',
  [
    ['changes a password', ['updateuser user=taken password=secret', true]],
    ['needs a name', ['updateuser password=secret', refused('mandatory parameter in request: user')]],
    ['needs a password', ['updateuser user=ann', refused('mandatory parameter in request: password')]],
    ['passes a refusal on', ['updateuser user=none password=secret', refused('none')]],
  ],
  { users: userSet() },
);
