/** Where the users are: the cluster's own, or the service's records. */
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid, UserDirectory } from '../grid/grid.ts';
import { DirectoryAccounts } from '../service/security/directory.ts';
import { PasswordCipher } from '../service/security/password-cipher.ts';
import type { Sessions } from '../service/security/sessions.ts';
import { UserGrids } from '../service/security/user-grids.ts';

/** The cluster's users, and what is needed to speak for one of them. */
export interface Directory {
  readonly users: UserDirectory;
  readonly accounts: DirectoryAccounts;
  readonly cipher: PasswordCipher;
  /** The user whose connections are the service's own. */
  readonly mainUser: string;
}

/** A user's connections outlive its cursors and sessions by this. */
const IDLE_MS = 300_000;
/** Each has a connection to each node. */
const MOST_USERS = 500;

/** Undefined without authentication, and where the service itself keeps the users. */
export function directoryOf(configuration: Configuration, grid: Grid): Directory | undefined {
  const { engine, authentication, secretKey } = configuration;
  if (!authentication || grid.users === undefined || engine.kind !== 'cluster') return undefined;
  const { user = '', password = '' } = engine.credentials ?? {};
  return {
    users: grid.users,
    accounts: new DirectoryAccounts(grid.records),
    // All services in front of a cluster have the same secret: the configured one, else the password of their own user.
    cipher: new PasswordCipher(secretKey ?? password),
    mainUser: user,
  };
}

/** The user who may do everything. */
export function defaultUserOf(configuration: Configuration, directory: Directory | undefined): string {
  return directory?.mainUser ?? configuration.serviceName;
}

/** The grids of the cluster's users as a thread needs them. */
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
    mostUsers: MOST_USERS,
  });
}
