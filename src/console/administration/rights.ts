/** What roles and the scopes of API keys may do: as it is edited, as it is sent, and in words. */

/** Rights by pattern: a list, or one word for several, as scopes of API keys may have. */
export type Rights = Readonly<Record<string, string | readonly string[]>>;

/** What a role may do. */
export interface RoleRights {
  /** Null means all. */
  readonly commands: readonly string[] | null;
  readonly caches: Rights;
  readonly tables: Rights;
  readonly counters: readonly string[];
  readonly tasks: readonly string[];
  readonly administration: readonly string[];
}

export const CACHE_RIGHTS = ['read', 'put', 'remove', 'create', 'destroy'] as const;
export const ADMINISTRATION_RIGHTS = ['state', 'users', 'log', 'backup', 'metrics'] as const;

/** A pattern of names with rights, as it is being edited. */
export interface Grant {
  readonly id: number;
  readonly pattern: string;
  readonly rights: readonly string[];
}

/** Rights as they are being edited. */
export interface EditedRights {
  /** Null means all. */
  readonly commands: readonly string[] | null;
  readonly caches: readonly Grant[];
  readonly tables: readonly Grant[];
  readonly counters: string;
  readonly tasks: string;
  readonly administration: readonly string[];
}

let lastId = 0;

export function newGrant(pattern: string, rights: readonly string[]): Grant {
  return { id: ++lastId, pattern, rights };
}

function listOf(rights: string | readonly string[]): readonly string[] {
  return typeof rights === 'string' ? [rights] : rights;
}

function grantsOf(rights: Rights): readonly Grant[] {
  return Object.entries(rights).map(([pattern, each]) => newGrant(pattern, listOf(each)));
}

/** Returns rights to edit; without any, the rights of a new role. */
export function editedRights(rights?: Partial<RoleRights>): EditedRights {
  return {
    commands: rights?.commands ?? null,
    caches: grantsOf(rights?.caches ?? {}),
    tables: grantsOf(rights?.tables ?? {}),
    counters: (rights?.counters ?? []).join(', '),
    tasks: (rights?.tasks ?? []).join(', '),
    administration: rights?.administration ?? [],
  };
}

/** Returns the rights by pattern. Duplicate patterns combine their rights. */
function rightsByPattern(grants: readonly Grant[]): Rights {
  const rights = new Map<string, readonly string[]>();
  for (const { pattern, rights: each } of grants) {
    const name = pattern.trim();
    if (name !== '') rights.set(name, [...new Set([...(rights.get(name) ?? []), ...each])]);
  }
  return Object.fromEntries(rights);
}

export function namesIn(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter((name) => name !== '');
}

/** Returns the JSON text of rights for the commands that store them. */
export function rightsJson({ commands, caches, tables, counters, tasks, administration }: EditedRights): string {
  return JSON.stringify({
    ...(commands !== null && { commands }),
    caches: rightsByPattern(caches),
    tables: rightsByPattern(tables),
    counters: namesIn(counters),
    tasks: namesIn(tasks),
    administration,
  });
}

/** Returns what rights permit, by kind and in words, without kinds that they do not permit. */
export function describedRights(
  rights: Partial<RoleRights>,
): ReadonlyArray<readonly [kind: string, texts: readonly string[]]> {
  const byPattern = (granted: Rights = {}): readonly string[] =>
    Object.entries(granted).map(([pattern, each]) => `${pattern}: ${listOf(each).join(' ') || 'none'}`);
  const all: ReadonlyArray<readonly [string, readonly string[]]> = [
    ['Commands', rights.commands === null || rights.commands === undefined ? ['all'] : rights.commands],
    ['Caches', byPattern(rights.caches)],
    ['Tables', byPattern(rights.tables)],
    ['Counters', rights.counters ?? []],
    ['Tasks', rights.tasks ?? []],
    ['Administration', rights.administration ?? []],
  ];
  return all.filter(([, texts]) => texts.length > 0);
}

/** What the buttons of the screen need: the group of the command, and the administration right. */
const NEEDS = {
  adduser: ['user', 'users'],
  removeuser: ['user', 'users'],
  updateuser: ['user', undefined],
  roleadd: ['user', 'users'],
  roleupdate: ['user', 'users'],
  rolermv: ['user', 'users'],
  roleassign: ['user', 'users'],
  apikeyadd: ['user', undefined],
  apikeyrotate: ['user', undefined],
  apikeyrmv: ['user', undefined],
  sessionrmv: ['user', undefined],
  exe: ['task', undefined],
  taskkill: ['task', undefined],
  backup: ['server', 'backup'],
  backupverify: ['server', 'backup'],
} as const satisfies Record<string, readonly [group: string, right: string | undefined]>;

export type NeededCommand = keyof typeof NEEDS;

/**
 * Returns the right that roles lack for a command, in the service's words; undefined if none. A single role must both
 * permit the command and have the right.
 */
export function missingRight(
  roles: ReadonlyArray<Pick<RoleRights, 'commands' | 'administration'>>,
  command: NeededCommand,
): string | undefined {
  const [group, right] = NEEDS[command];
  const permitting = roles.filter(
    ({ commands }) => commands === null || commands.includes(command) || commands.includes(`@${group}`),
  );
  if (permitting.length === 0) return `command ${command}`;
  if (right === undefined || permitting.some(({ administration }) => administration.includes(right))) return undefined;
  return `administration ${right}`;
}
