/** The scopes of API keys: roles that bound what the key's user may do. */
import { LRUCache } from 'lru-cache';
import type { CommandDeclaration } from '../../../commands/command.ts';
import type { CallerKey } from '../../../commands/context.ts';
import { ALL, compileRole, type Role, type RoleDeclaration, readRole } from '../roles.ts';

/** A thread's compiled scopes; after eviction of the least recently used one, it is compiled again. */
const MAX_COMPILED = 1_000;
/** The scope of a key without one: everything that its user may do and know, except administration. */
const WHOLE: RoleDeclaration = { ...ALL, administration: ['metrics'] };

export class KeyScopes {
  readonly #commands: readonly CommandDeclaration[];
  /** By the scope's JSON. */
  readonly #roles = new LRUCache<string, Role>({ max: MAX_COMPILED });
  readonly #whole: Role;

  constructor(commands: readonly CommandDeclaration[]) {
    this.#commands = commands;
    this.#whole = compileRole('scope', WHOLE, commands, false);
  }

  /** Returns the role that bounds a key. */
  roleOf({ scope }: CallerKey): Role {
    if (scope === undefined) return this.#whole;
    const known = this.#roles.get(scope);
    if (known !== undefined) return known;
    const role = compileScope(scope, this.#commands);
    this.#roles.set(scope, role);
    return role;
  }
}

/** Compiles a scope from JSON. Throws an Error that describes what is wrong. */
export function compileScope(text: string, commands: readonly CommandDeclaration[]): Role {
  return compileRole('scope', readRole('scope', text), commands, false);
}
