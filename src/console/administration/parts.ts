/** The parts of the administration, and which of them is shown. */

export interface Part {
  /** The name in the address. */
  readonly name: PartName;
  readonly title: string;
  /** Whether there is nothing of the kind without authentication. */
  readonly needsLogin: boolean;
}

export type PartName = 'users' | 'roles' | 'keys' | 'sessions' | 'tasks' | 'backups' | 'configuration' | 'log';

const PARTS: readonly Part[] = [
  { name: 'users', title: 'Users', needsLogin: false },
  { name: 'roles', title: 'Roles', needsLogin: true },
  { name: 'keys', title: 'API keys', needsLogin: true },
  { name: 'sessions', title: 'Sessions', needsLogin: true },
  { name: 'tasks', title: 'Tasks', needsLogin: false },
  { name: 'backups', title: 'Backups', needsLogin: false },
  { name: 'configuration', title: 'Configuration', needsLogin: false },
  { name: 'log', title: 'Log', needsLogin: false },
];

/** Returns the parts that a service has. */
export function partsOf(hasLogin: boolean): readonly Part[] {
  return PARTS.filter(({ needsLogin }) => hasLogin || !needsLogin);
}

/** Returns the part that an address names: without one the users, or the tasks of a service without them. */
export function shownPart(name: string | null, hasLogin: boolean): PartName {
  const found = partsOf(hasLogin).find((part) => part.name === name);
  return found?.name ?? (hasLogin ? 'users' : 'tasks');
}
