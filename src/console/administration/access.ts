/** Users and roles as the service describes them, and when to read them again. */
import { signal } from '@preact/signals';

export interface User {
  readonly name: string;
  readonly roles: readonly string[];
  readonly rolesFrom: 'configuration' | 'assigned' | 'others';
  readonly isDefault: boolean;
}

/** Rights by pattern. */
export type Rights = Readonly<Record<string, readonly string[]>>;

/** What a role may do. */
export interface RoleRights {
  /** Null: all. */
  readonly commands: readonly string[] | null;
  readonly caches: Rights;
  readonly tables: Rights;
  readonly counters: readonly string[];
  readonly tasks: readonly string[];
  readonly administration: readonly string[];
}

export interface Role extends RoleRights {
  readonly name: string;
  readonly source: 'builtIn' | 'configuration' | 'stored';
  readonly users: readonly string[];
  readonly others: boolean;
}

/** Changes with every change of users and roles: each list shows parts of the other. */
export const accessVersion = signal(0);

export function accessChanged(): void {
  accessVersion.value++;
}
