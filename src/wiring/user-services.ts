/** Creates the services that check logins and change users, in the service's records or in the cluster. */
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid } from '../grid/grid.ts';
import { ClientAddresses } from '../http/client-addresses.ts';
import { Attempts } from '../service/security/attempts.ts';
import { createAuthenticator } from '../service/security/authenticator.ts';
import { createDirectoryAuthenticator, createDirectoryUserService } from '../service/security/directory.ts';
import type { Passwords } from '../service/security/passwords.ts';
import type { SecurityEpoch } from '../service/security/security-epoch.ts';
import type { Sessions } from '../service/security/sessions.ts';
import { createUserService, disabledUserService } from '../service/security/users.ts';
import type { Directory } from './directory.ts';
import type { MainServices } from './service-channel.ts';

interface UserParts {
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly manages: (user: string) => boolean;
}

/** Creates the services for users in the service's records. */
export function ownUsers(
  { serviceName, login, http }: Configuration,
  parts: UserParts & { readonly grid: Grid; readonly passwords: Passwords; readonly sessions: Sessions | undefined },
): Pick<MainServices, 'logins' | 'users'> {
  const { grid, clock, passwords, sessions, epoch, manages } = parts;
  const { records } = grid;
  const attempts = new Attempts({ clock, clients: new ClientAddresses(http.proxies), ...login });
  return {
    logins: createAuthenticator({ records, clock, passwords, attempts }),
    users:
      sessions === undefined
        ? disabledUserService
        : createUserService({
            state: () => grid.cluster.state(),
            records,
            passwords,
            sessions,
            epoch,
            defaultUser: serviceName,
            manages,
          }),
  };
}

/** Creates the services for users of the cluster. */
export function clusterUsers(
  { login, http }: Configuration,
  { users: directory, accounts, cipher }: Directory,
  { clock, sessions, epoch, manages }: UserParts & { readonly sessions: Sessions },
): Pick<MainServices, 'logins' | 'users'> {
  const attempts = new Attempts({ clock, clients: new ClientAddresses(http.proxies), ...login });
  return {
    logins: createDirectoryAuthenticator({ directory, accounts, clock, attempts, cipher }),
    users: createDirectoryUserService({ directory, accounts, sessions, epoch, cipher, manages }),
  };
}
