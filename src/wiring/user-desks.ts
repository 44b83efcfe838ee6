/** Who judges logins and changes users: the service itself, or the cluster. */
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid } from '../grid/grid.ts';
import { Attempts } from '../service/attempts.ts';
import { createDirectoryLoginDesk, createDirectoryUserDesk } from '../service/directory.ts';
import { createLoginDesk } from '../service/login-desk.ts';
import type { Passwords } from '../service/passwords.ts';
import type { SecurityGeneration } from '../service/security-generation.ts';
import type { Sessions } from '../service/sessions.ts';
import { closedUserDesk, createUserDesk } from '../service/users.ts';
import type { Desks } from './desk-link.ts';
import type { Directory } from './directory.ts';

interface UserParts {
  readonly clock: Clock;
  readonly generation: SecurityGeneration;
  readonly manages: (user: string) => boolean;
}

/** Users that the service keeps as records. */
export function ownUsers(
  { serviceName, login }: Configuration,
  parts: UserParts & { readonly grid: Grid; readonly passwords: Passwords; readonly sessions: Sessions | undefined },
): Pick<Desks, 'logins' | 'users'> {
  const { grid, clock, passwords, sessions, generation, manages } = parts;
  const { records } = grid;
  const attempts = new Attempts({ clock, ...login });
  return {
    logins: createLoginDesk({ records, clock, passwords, attempts }),
    users:
      sessions === undefined
        ? closedUserDesk
        : createUserDesk({
            state: () => grid.cluster.state(),
            records,
            passwords,
            sessions,
            generation,
            defaultUser: serviceName,
            manages,
          }),
  };
}

/** Users that the cluster keeps. */
export function clusterUsers(
  { login }: Configuration,
  { users: directory, accounts, seal }: Directory,
  { clock, sessions, generation, manages }: UserParts & { readonly sessions: Sessions },
): Pick<Desks, 'logins' | 'users'> {
  const attempts = new Attempts({ clock, ...login });
  return {
    logins: createDirectoryLoginDesk({ directory, accounts, clock, attempts, seal }),
    users: createDirectoryUserDesk({ directory, accounts, sessions, generation, seal, manages }),
  };
}
