/**
 * Roles as records of the grid, so that every thread and every service in front of a cluster sees them. They are
 * compiled on first use.
 */
import type { Clock } from '../../base/clock.ts';
import { GridError } from '../../base/errors.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Records } from '../../grid/grid.ts';
import { compileRole, type Role, type RoleDeclaration, readRole } from './roles.ts';
import type { SecurityEpoch } from './security-epoch.ts';

export interface StoredRoleOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly epoch: SecurityEpoch;
  readonly commands: readonly CommandDeclaration[];
  /** Time in ms for which a thread trusts its cache; see {@link SessionOptions.trustMs}. */
  readonly trustMs: number;
}

interface KnownRole {
  /** undefined if there is no role of this name. */
  readonly role: Role | undefined;
  readonly epoch: number;
  readonly trustedUntilMs: number;
}

/** Maximum number of names in a thread's cache, which is emptied when full: more than there can be roles. */
const MAX_KNOWN = 10_000;

export class StoredRoles {
  readonly #options: StoredRoleOptions;
  readonly #known = new Map<string, KnownRole>();

  constructor(options: StoredRoleOptions) {
    this.#options = options;
  }

  /** Returns a role, or undefined if there is none, or if this version does not have one of its commands or rights. */
  find(name: string): MaybePromise<Role | undefined> {
    const { records, epoch, clock } = this.#options;
    const known = this.#known.get(name);
    const current = epoch.current();
    if (known !== undefined && known.epoch === current && clock.nowMs() < known.trustedUntilMs) return known.role;
    // The epoch was read before the record, so that a concurrent change makes it obsolete.
    const content = records.get('role', name);
    if (!(content instanceof Promise)) return this.#remember(name, content, current);
    return content.then(
      (read) => this.#remember(name, read, current),
      (error: unknown) => {
        // An inactive cluster's records cannot be read.
        if (known !== undefined && error instanceof GridError && error.code === 'INACTIVE') return known.role;
        throw error;
      },
    );
  }

  /** Returns a role if that needs no waiting, possibly as it was before its last change. */
  atHand(name: string): Role | undefined {
    const found = this.find(name);
    if (!(found instanceof Promise)) return found;
    found.catch(() => {});
    return this.#known.get(name)?.role;
  }

  #remember(name: string, content: string | undefined, epoch: number): Role | undefined {
    const { clock, trustMs, commands } = this.#options;
    const role = content === undefined ? undefined : compiled(name, content, commands);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(name, { role, epoch, trustedUntilMs: clock.nowMs() + trustMs });
    return role;
  }
}

function compiled(name: string, content: string, commands: readonly CommandDeclaration[]): Role | undefined {
  try {
    return compileRole(name, readRole(name, content), commands, false);
  } catch {
    // Another version has stored it. Anything unknown here grants nothing.
    return undefined;
  }
}

/** Returns the declarations of all stored roles by name. */
export async function listStoredRoles(records: Records): Promise<ReadonlyMap<string, RoleDeclaration>> {
  // Only a checked declaration is stored.
  return new Map(
    (await records.list('role')).map(({ id, content }) => [id, JSON.parse(content) as RoleDeclaration] as const),
  );
}
