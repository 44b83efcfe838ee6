import { commandCases, refused } from '../../../test/test-service.ts';
import { userSet } from './user-set.fixture.ts';

commandCases(
  'removeuser',
  [
    ['removes a user', ['removeuser user=taken', true]],
    ['needs a name', ['removeuser', refused('mandatory parameter in request: user')]],
    ['passes a refusal on', ['removeuser user=none', refused('none')]],
  ],
  { users: userSet() },
);
