/** Changes stored roles, and users' roles. The process has one, so that its changes happen one after another. */
import { errorText, gridError } from '../../base/errors.ts';
import { ROLE_BOUNDS } from '../../base/limits.ts';
import type { MaybePromise, Mutex } from '../../base/maybe-promise.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Caller, RoleChange } from '../../commands/context.ts';
import type { ClusterState, Records } from '../../grid/grid.ts';
import { type Account, type FindAccount, listAccounts, replaceAccount, withRoles } from './accounts.ts';
import type { Permissions } from './permissions.ts';
import { compileRole, type Role, type RoleDeclaration, readRole } from './roles.ts';
import type { SecurityEpoch } from './security-epoch.ts';
import { listStoredRoles } from './stored-roles.ts';

export interface RoleChangeOptions {
  readonly records: Records;
  readonly state: () => MaybePromise<ClusterState>;
  readonly findAccount: FindAccount;
  readonly epoch: SecurityEpoch;
  readonly permissions: Pick<Permissions, 'manages' | 'includes' | 'declaredRole' | 'rolesOf'>;
  readonly commands: readonly CommandDeclaration[];
  /** Whether the service knows which cache a table belongs to, so that a role can name tables. */
  readonly knowsTables: boolean;
  /** Runs changes of accounts one after another. */
  readonly changes: Mutex;
}

export interface RoleChanges {
  /** Throws the errors that a change would throw, and changes nothing. */
  check(caller: Caller, change: RoleChange): Promise<void>;
  change(caller: Caller, change: RoleChange): Promise<void>;
  /** Throws unless a caller may give roles to a user that does not exist yet. */
  checkNew(caller: Caller, user: string, roles: readonly string[]): Promise<void>;
}

/** Creates the service that changes roles. */
export function createRoleChanges(options: RoleChangeOptions): RoleChanges {
  const { records, epoch, changes } = options;

  /** Checks a change and returns a function that makes it. */
  async function prepare(caller: Caller, change: RoleChange): Promise<() => Promise<unknown>> {
    const { permissions, state } = options;
    if (!(await permissions.manages(caller))) throw gridError('USER_MANAGEMENT_FORBIDDEN', caller.user);
    if ((await state()) === 'INACTIVE') throw gridError('INACTIVE');
    const checks = new RoleChecks(options, caller, await listStoredRoles(records));
    switch (change.kind) {
      case 'add': {
        const content = await checks.add(change.name, change.rights);
        return async () => {
          if (!(await records.add('role', change.name, content))) throw gridError('ROLE_EXISTS', change.name);
        };
      }
      case 'update': {
        const content = await checks.update(change.name, change.rights);
        return () => records.put('role', change.name, content);
      }
      case 'remove':
        await checks.remove(change.name);
        return () => records.remove('role', change.name);
      case 'assign': {
        const account = await checks.assign(change.user, change.roles);
        return () => replaceAccount(records, withRoles(account, change.roles));
      }
    }
  }

  return {
    async checkNew(caller, user, roles) {
      await new RoleChecks(options, caller, await listStoredRoles(records)).grant({ user }, roles);
    },
    check: async (caller, change) => void (await prepare(caller, change)),
    change: (caller, change) =>
      changes(async () => {
        const store = await prepare(caller, change);
        await store();
        epoch.raise();
      }),
  };
}

/** Letters of any script, digits and a few others: names are comma-separated and shown in texts. */
const NAME = /^[\p{L}\p{N}_.:-]+$/u;

class RoleChecks {
  readonly #options: RoleChangeOptions;
  readonly #caller: Caller;
  readonly #stored: ReadonlyMap<string, RoleDeclaration>;

  constructor(options: RoleChangeOptions, caller: Caller, stored: ReadonlyMap<string, RoleDeclaration>) {
    this.#options = options;
    this.#caller = caller;
    this.#stored = stored;
  }

  /** Checks a new role and returns the record's text. */
  async add(name: string, rights: string): Promise<string> {
    if (!NAME.test(name)) throw gridError('ROLE_INVALID', 'its name must be of letters, digits, _ . : and -');
    if (name.length > ROLE_BOUNDS.nameCharacters) {
      throw gridError('ROLE_INVALID', `its name has more than ${ROLE_BOUNDS.nameCharacters} characters`);
    }
    if (this.#options.permissions.declaredRole(name) !== undefined || this.#stored.has(name)) {
      throw gridError('ROLE_EXISTS', name);
    }
    if (this.#stored.size >= ROLE_BOUNDS.roles) throw gridError('ROLE_LIMIT', ROLE_BOUNDS.roles);
    const declaration = this.#read(rights);
    await this.#requireIncluded(name, this.#compile(name, declaration));
    return JSON.stringify(declaration);
  }

  async update(name: string, rights: string): Promise<string> {
    const { roles } = this.#options.permissions.rolesOf(this.#caller);
    await this.#requireIncluded(name, this.#requireStored(name));
    const declaration = this.#read(rights);
    const changed = this.#compile(name, declaration);
    await this.#requireIncluded(name, changed);
    if (roles.includes(name)) {
      this.#requireManager(roles.map((each) => (each === name ? changed : this.#roleOf(each))));
    }
    return JSON.stringify(declaration);
  }

  async remove(name: string): Promise<void> {
    await this.#requireIncluded(name, this.#requireStored(name));
    const users = (await listAccounts(this.#options.records)).filter(({ roles }) => roles?.includes(name) === true);
    if (users.length > 0)
      throw gridError(
        'ROLE_IN_USE',
        name,
        users.slice(0, NAMED_USERS).map((user) => user.name),
        users.length,
      );
  }

  /** Checks a user's roles and returns the user's account. */
  async assign(user: string, roles: readonly string[]): Promise<Account> {
    const account = await this.#options.findAccount(user);
    if (account === undefined) throw gridError('USER_NOT_FOUND', user);
    const { roles: current } = this.#options.permissions.rolesOf({ user, assigned: account.roles });
    await this.grant({ user, assigned: account.roles }, roles, current);
    if (user === this.#caller.user) this.#requireManager(roles.map((name) => this.#roleOf(name)));
    return account;
  }

  /** Throws unless the caller may give the roles to a user, and take away the roles in `before`. */
  async grant(
    user: { readonly user: string; readonly assigned?: readonly string[] | undefined },
    names: readonly string[],
    before: readonly string[] = [],
  ): Promise<void> {
    if (this.#options.permissions.rolesOf(user).rolesFrom === 'configuration') {
      throw gridError('USER_ROLES_READ_ONLY', user.user);
    }
    if (names.length > ROLE_BOUNDS.rolesPerUser) {
      throw gridError('ROLE_INVALID', `a user has at most ${ROLE_BOUNDS.rolesPerUser} roles`);
    }
    for (const name of names) if (this.#roleOf(name) === undefined) throw gridError('ROLE_NOT_FOUND', name);
    for (const name of new Set([...names, ...before])) {
      const role = this.#roleOf(name);
      if (role !== undefined) await this.#requireIncluded(name, role);
    }
  }

  #roleOf(name: string): Role | undefined {
    const declaration = this.#stored.get(name);
    return (
      this.#options.permissions.declaredRole(name) ??
      (declaration === undefined ? undefined : this.#compile(name, declaration))
    );
  }

  #requireStored(name: string): Role {
    if (this.#options.permissions.declaredRole(name) !== undefined) throw gridError('ROLE_READ_ONLY', name);
    const role = this.#roleOf(name);
    if (role === undefined) throw gridError('ROLE_NOT_FOUND', name);
    return role;
  }

  /** Callers cannot grant, change or take away anything beyond what their own role permits. */
  async #requireIncluded(name: string, role: Role): Promise<void> {
    const included = await this.#options.permissions.includes(this.#caller, role);
    if (!included) throw gridError('ROLE_ESCALATION', name, this.#caller.user);
  }

  /** Throws unless one of the roles that the caller will have manages users. */
  #requireManager(roles: ReadonlyArray<Role | undefined>): void {
    if (roles.some((role) => role?.administration.has('users') === true)) return;
    throw gridError('ROLE_LOCKOUT', this.#caller.user);
  }

  #read(rights: string): RoleDeclaration {
    if (rights.length > ROLE_BOUNDS.rightsCharacters) {
      throw gridError('ROLE_INVALID', `rights has more than ${ROLE_BOUNDS.rightsCharacters} characters`);
    }
    return invalidIfThrown(() => readRole('rights', rights));
  }

  #compile(name: string, declaration: RoleDeclaration): Role {
    const { commands, knowsTables } = this.#options;
    const role = invalidIfThrown(() => compileRole('rights', declaration, commands, false));
    if (role.tables.length > 0 && !knowsTables) {
      const reason = 'the service does not know which cache of the cluster a table belongs to';
      throw gridError('NOT_SUPPORTED', `tables in the role ${name}`, reason);
    }
    return role;
  }
}

/** Maximum number of users that an error names. */
const NAMED_USERS = 5;

function invalidIfThrown<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw gridError('ROLE_INVALID', errorText(error));
  }
}
