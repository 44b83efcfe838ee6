/** The parts of the administration, and which of them is shown. */

/** Their names in the address, and whether they are missing without authentication. */
const PARTS = [
  { name: 'users', title: 'Users', needsLogin: false },
  { name: 'roles', title: 'Roles', needsLogin: true },
  { name: 'keys', title: 'API keys', needsLogin: true },
  { name: 'sessions', title: 'Sessions', needsLogin: true },
  { name: 'tasks', title: 'Tasks', needsLogin: false },
  { name: 'backups', title: 'Backups', needsLogin: false },
  { name: 'configuration', title: 'Configuration', needsLogin: false },
  { name: 'log', title: 'Log', needsLogin: false },
] as const;

export type Part = (typeof PARTS)[number];
export type PartName = Part['name'];

/** Returns the parts that a service has. */
export function partsOf(hasLogin: boolean): readonly Part[] {
  return PARTS.filter(({ needsLogin }) => hasLogin || !needsLogin);
}

/** Returns the part that an address names: without one the users, or the tasks of a service without them. */
export function shownPart(name: string | null, hasLogin: boolean): PartName {
  const found = partsOf(hasLogin).find((part) => part.name === name);
  return found?.name ?? (hasLogin ? 'users' : 'tasks');
}
