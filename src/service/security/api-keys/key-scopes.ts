/** The scopes of API keys: roles that bound what the key's user may do. */
import { LRUCache } from 'lru-cache';
import type { CommandDeclaration } from '../../../commands/command.ts';
import type { CallerKey } from '../../../commands/context.ts';
import { ALL, compileRole, type Role, type RoleDeclaration } from '../roles.ts';

/** Compiled scopes of a thread; the least recently used one is compiled again. */
const MAX_COMPILED = 1_000;
/** The scope of a key without one: everything that its user may do, except administration. */
const WHOLE: RoleDeclaration = ALL;

const MEMBERS = {
  commands: 'list',
  caches: 'rights',
  tables: 'rights',
  counters: 'list',
  tasks: 'list',
  administration: 'list',
} as const satisfies { readonly [M in keyof RoleDeclaration]-?: 'list' | 'rights' };

export class KeyScopes {
  readonly #commands: readonly CommandDeclaration[];
  /** By the JSON text of the scope. */
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

/** Compiles the JSON text of a scope. Throws an Error that names what is wrong. */
export function compileScope(text: string, commands: readonly CommandDeclaration[]): Role {
  return compileRole('scope', readScope(text), commands, false);
}

/** Reads a scope: an object like a role of the configuration. Throws an Error that names what is wrong. */
function readScope(text: string): RoleDeclaration {
  let scope: unknown;
  try {
    scope = JSON.parse(text);
  } catch {
    throw new Error('scope: is not JSON');
  }
  if (!isObject(scope)) throw new Error('scope: must be an object such as {"caches": {"orders*": "read"}}');
  for (const [name, value] of Object.entries(scope)) {
    const form = Object.hasOwn(MEMBERS, name) ? MEMBERS[name as keyof typeof MEMBERS] : undefined;
    if (form === undefined) {
      throw new Error(`scope: there is no member ${name}; there are ${Object.keys(MEMBERS).join(', ')}`);
    }
    if (form === 'list' && !isTexts(value)) throw new Error(`scope.${name}: must be a list of strings`);
    if (form === 'rights' && !(isObject(value) && Object.values(value).every(isRights))) {
      throw new Error(`scope.${name}: must be an object of rights (read, write, all or a list) by pattern`);
    }
  }
  // The loop has checked every member; compileRole checks the words.
  return scope as RoleDeclaration;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRights(value: unknown): boolean {
  return typeof value === 'string' || isTexts(value);
}
