/** Selects where users are stored: in the cluster, or in the records of the service. */
import type { Clock } from '../base/clock.ts';
import { CLUSTER_BOUNDS } from '../base/limits.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid, UserDirectory } from '../grid/grid.ts';
import type { Log } from '../service/monitoring/log.ts';
import { type FindAccount, findAccount } from '../service/security/accounts.ts';
import { DirectoryAccounts } from '../service/security/directory.ts';
import type { PasswordCipher } from '../service/security/password-cipher.ts';
import type { Sessions } from '../service/security/sessions.ts';
import { UserGrids } from '../service/security/user-grids.ts';

/** The cluster's users, with the means to connect as one of them. */
export interface Directory {
  readonly users: UserDirectory;
  readonly accounts: DirectoryAccounts;
  readonly cipher: PasswordCipher;
  /** The user of the service's own connections. */
  readonly mainUser: string;
}

/** How long a user's connections outlive its cursors and sessions. */
const IDLE_MS = 300_000;

/**
 * Returns the configuration required by the open engine: in front of a cluster with authentication, the service also
 * authenticates, unless an option says that it lends its own account to everyone.
 */
export function authenticatingAs(
  configuration: Configuration,
  { users }: Pick<Grid, 'users'>,
  log: Log,
): Configuration {
  const { engine, authentication } = configuration;
  if (users === undefined || authentication || engine.kind !== 'cluster') return configuration;
  if (!engine.sharesAccount) {
    log.info('The cluster has authentication, so every command requires credentials of its users');
    return { ...configuration, authentication: true };
  }
  log.warn('Every request acts as a user of the cluster, without credentials', {
    user: engine.credentials?.user ?? '',
    option: 'engine.cluster.shareAccount',
  });
  return configuration;
}

/** Returns the cluster's users, or undefined without authentication and if the service stores users itself. */
export async function directoryOf(configuration: Configuration, grid: Grid): Promise<Directory | undefined> {
  const { engine, authentication, secretKey } = configuration;
  if (!authentication || grid.users === undefined || engine.kind !== 'cluster') return undefined;
  const { PasswordCipher } = await import('../service/security/password-cipher.ts');
  const { user = '', password = '' } = engine.credentials ?? {};
  return {
    users: grid.users,
    accounts: new DirectoryAccounts(grid.records),
    // All services of a cluster need the same secret: the configured one, or the password of their own user.
    cipher: new PasswordCipher(secretKey ?? password),
    mainUser: user,
  };
}

/** Returns a function that finds the accounts of users. */
export function accountsOf({ records }: Pick<Grid, 'records'>, directory: Directory | undefined): FindAccount {
  return (user) => (directory === undefined ? findAccount(records, user) : directory.accounts.find(user));
}

/** Returns the administrator's name. */
export function defaultUserOf(configuration: Configuration, directory: Directory | undefined): string {
  return directory?.mainUser ?? configuration.serviceName;
}

/** Creates the grids of the cluster's users for a thread. */
export function userGridsOf(
  { users, cipher, mainUser }: Directory,
  configuration: Configuration,
  grid: Grid,
  sessions: Sessions,
  clock: Clock,
): UserGrids {
  const { queryIdleTimeoutMs, sessionTimeoutMs } = configuration;
  return new UserGrids({
    main: grid,
    mainUser,
    directory: users,
    sessions,
    cipher,
    clock,
    idleMs: Math.max(queryIdleTimeoutMs, sessionTimeoutMs) + IDLE_MS,
    maxUsers: CLUSTER_BOUNDS.users,
  });
}
