import { accessService, SESSION } from '../../../test/fixtures/commands/access-service.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

const DISABLED = failsWith('Operation cannot be performed: security disabled.');
commandCases(
  'users, roles and sessions',
  [
    ['users', ['userlist', [{ name: 'ann', roles: ['user'], rolesFrom: 'others', isDefault: false }]]],
    ['roles', ['rolelist', []]],
    ['sessions of a user', ['sessionlist user=ann limit=1', [SESSION]]],
    ['sessions of all', ['sessionlist user=', [1, 2, 3].map(() => ({ ...SESSION, user: 'nobody' }))]],
    ['a limit below 0 is 0', ['sessionlist limit=-1', []]],
    ['a limit that is none', ['sessionlist limit=x', failsWith('[limit=x]')]],
    ['a role has a name', ['roleadd rights={}', failsWith('mandatory parameter in request: name')]],
    ['a role has rights', ['roleadd name=r', failsWith('mandatory parameter in request: rights')]],
    ['a new role', ['roleadd name=r rights={}', failsWith('{"kind":"add","name":"r","rights":"{}"}')]],
    ['another role', ['roleupdate name=r rights={}', failsWith('{"kind":"update","name":"r","rights":"{}"}')]],
    ['no role', ['rolermv name=r', failsWith('{"kind":"remove","name":"r"}')]],
    ['the roles of a user', ['roleassign user=ann roles=a,%20b', failsWith('"user":"ann","roles":["a","b"]}')]],
    ['no roles', ['roleassign user=ann roles=', failsWith('{"kind":"assign","user":"ann","roles":[]}')]],
    ['roles that are not named', ['roleassign user=ann', failsWith('mandatory parameter in request: roles')]],
    [
      'more roles than a list can have',
      [
        `roleassign user=ann roles=${'a,'.repeat(2_000)}`,
        failsWith('[what=roles items, limit=2000, actual=more, fixed=true]'),
      ],
    ],
    ['ending names a session or a user', ['sessionrmv', failsWith('mandatory parameter in request: id')]],
    ['ending names only one of them', ['sessionrmv id=a user=ann', failsWith('id')]],
    ['ending a session', ['sessionrmv id=a', 1]],
    ['ending a session that there is not', ['sessionrmv id=b', failsWith('There is no session with this id [id=b]')]],
    ['ending the sessions of a user', ['sessionrmv user=ann', 7]],
  ],
  { access: accessService },
);

commandCases('users, roles and sessions without authentication', [
  ['userlist fails', ['userlist', DISABLED]],
  ['rolelist fails', ['rolelist', DISABLED]],
  ['roleadd fails', ['roleadd name=r rights={}', DISABLED]],
  ['roleupdate fails', ['roleupdate name=r rights={}', DISABLED]],
  ['rolermv fails', ['rolermv name=r', DISABLED]],
  ['roleassign fails', ['roleassign user=a roles=', DISABLED]],
  ['sessionlist fails', ['sessionlist', DISABLED]],
  ['sessionrmv fails', ['sessionrmv id=a', DISABLED]],
  ['sessionrmv of a user fails', ['sessionrmv user=ann', DISABLED]],
]);
