/** Creates the services that check logins and change users and API keys, in the service's records or in the cluster. */
import type { Clock } from '../base/clock.ts';
import { createMutex } from '../base/maybe-promise.ts';
import { COMMANDS } from '../commands/registry.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid } from '../grid/grid.ts';
import { ClientAddresses } from '../http/client-addresses.ts';
import type { MainServices } from '../processes/http/service-channel.ts';
import { createSavedQueryService, type OwnSavedQueryService } from '../service/saved-queries/saved-query-service.ts';
import { createAccessService } from '../service/security/access.ts';
import { createApiKeyService } from '../service/security/api-keys/api-key-service.ts';
import { Attempts } from '../service/security/attempts.ts';
import { createAuthenticator } from '../service/security/authenticator.ts';
import { createDirectoryAuthenticator, createDirectoryUserService } from '../service/security/directory.ts';
import { createKeyAttempts, type KeyAttempts } from '../service/security/key-attempts.ts';
import type { Passwords } from '../service/security/passwords.ts';
import type { Permissions } from '../service/security/permissions.ts';
import { createRoleChanges } from '../service/security/role-changes.ts';
import type { SecurityEpoch } from '../service/security/security-epoch.ts';
import type { Sessions } from '../service/security/sessions.ts';
import { createUserService, DISABLED_SERVICES } from '../service/security/users.ts';
import { accountsOf, type Directory } from './directory.ts';

interface UserDependencies {
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly permissions: Permissions;
}

type UserServices = Pick<MainServices, 'logins' | 'users' | 'apiKeys' | 'access' | 'keyAttempts'> & {
  readonly savedQueries: OwnSavedQueryService;
};

/** Creates the services for users in the service's records. */
export function ownUsers(
  configuration: Configuration,
  dependencies: UserDependencies & {
    readonly grid: Grid;
    readonly passwords: Passwords;
    readonly sessions: Sessions | undefined;
  },
): UserServices {
  const { grid, clock, passwords, sessions, epoch, permissions } = dependencies;
  const { manages } = permissions;
  const { records } = grid;
  const changes = createMutex();
  const { attempts, keyAttempts } = attemptsOf(configuration, clock);
  const logins = createAuthenticator({ records, clock, passwords, attempts });
  const state = () => grid.cluster.state();
  const findOwn = accountsOf(grid, undefined);
  const savedQueries = createSavedQueryService({
    records,
    state,
    clock,
    limits: configuration.limits,
    manages: sessions === undefined ? undefined : manages,
    accountIdOf: async (user) => (await findOwn(user))?.id,
  });
  if (sessions === undefined) return { ...DISABLED_SERVICES, savedQueries, logins, keyAttempts };
  const knowsTables = configuration.engine.kind === 'embedded';
  const shared = { records, state, findAccount: findOwn, epoch, commands: COMMANDS, knowsTables };
  const apiKeys = createApiKeyService({
    ...shared,
    clock,
    limits: configuration.limits,
    manages,
    unsupportedUser: () => undefined,
  });
  const roleChanges = createRoleChanges({ ...shared, permissions, changes });
  const users = createUserService({
    state,
    records,
    passwords,
    sessions,
    epoch,
    defaultUser: configuration.serviceName,
    manages,
    needsOldPassword: configuration.needsOldPassword,
    minimumPasswordLength: configuration.minimumPasswordLength,
    changes,
    rolesOfNew: rolesOfNew(configuration),
    checkRoles: roleChanges.checkNew,
    onRemoved: apiKeys.removeAll,
  });
  const access = createAccessService({
    records,
    sessions,
    permissions,
    roleChanges,
    defaultUser: configuration.serviceName,
  });
  return { logins, keyAttempts, users, apiKeys, access, savedQueries };
}

/** Wraps the services so that removing a user or an API key ends what they own, whichever request began it. */
export function endingWhatIsOwned(
  services: UserServices,
  endOf: (isOwner: (owner: string) => boolean) => void,
): UserServices {
  const { users, apiKeys, savedQueries } = services;
  return {
    ...services,
    users: {
      ...users,
      async remove(caller, name) {
        await users.remove(caller, name);
        await savedQueries.removeAll(name);
        endOf((owner) => owner === name || owner.startsWith(`${name}#`));
      },
    },
    apiKeys: {
      ...apiKeys,
      async remove(caller, id) {
        await apiKeys.remove(caller, id);
        endOf((owner) => owner.endsWith(`#${id}`));
      },
    },
  };
}

/** Creates the services for the cluster's users. */
export function clusterUsers(
  configuration: Configuration,
  { users: directory, accounts, cipher, mainUser }: Directory,
  {
    grid,
    clock,
    sessions,
    epoch,
    permissions,
  }: UserDependencies & { readonly grid: Grid; readonly sessions: Sessions },
): UserServices {
  const { attempts, keyAttempts } = attemptsOf(configuration, clock);
  const { manages } = permissions;
  const { records } = grid;
  const state = () => grid.cluster.state();
  const changes = createMutex();
  const findAccount = (user: string) => accounts.find(user);
  const shared = { records, state, findAccount, epoch, commands: COMMANDS, knowsTables: false };
  const roleChanges = createRoleChanges({ ...shared, permissions, changes });
  return {
    keyAttempts,
    access: createAccessService({
      records,
      sessions,
      permissions,
      roleChanges,
      defaultUser: mainUser,
      unlistedUsers: 'the cluster stores them, and has no list of them',
    }),
    logins: createDirectoryAuthenticator({ directory, accounts, clock, attempts, cipher }),
    users: createDirectoryUserService({
      directory,
      accounts,
      state,
      sessions,
      epoch,
      cipher,
      manages,
      needsOldPassword: configuration.needsOldPassword,
      minimumPasswordLength: configuration.minimumPasswordLength,
      changes,
      rolesOfNew: rolesOfNew(configuration),
      checkRoles: roleChanges.checkNew,
    }),
    savedQueries: createSavedQueryService({
      records,
      state,
      clock,
      limits: configuration.limits,
      manages,
      // The cluster has no list of its users: one that has just been removed does not exist.
      accountIdOf: () => undefined,
    }),
    apiKeys: createApiKeyService({
      ...shared,
      clock,
      limits: configuration.limits,
      manages,
      unsupportedUser: (user) =>
        user === mainUser
          ? undefined
          : `the cluster checks the password of a user on each connection, and a key has none; only ${mainUser}, the ` +
            "service's own account, can have keys",
    }),
  };
}

/** A new user may do nothing until roles are assigned; in Ignite, everything (docs/differences.md, row 97). */
function rolesOfNew({ compatibility }: Configuration): readonly string[] | undefined {
  return compatibility === 'reference' ? undefined : [];
}

/** Passwords and API keys are counted separately. */
function attemptsOf({ login, http }: Configuration, clock: Clock): { attempts: Attempts; keyAttempts: KeyAttempts } {
  const create = () => new Attempts({ clock, clients: new ClientAddresses(http.proxies), ...login });
  return { attempts: create(), keyAttempts: createKeyAttempts(create()) };
}
