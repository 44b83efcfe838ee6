/** Rules that concern several declared parts, or names that other modules know. */
import { type ErrorCode, errorText, GridError } from '../base/errors.ts';
import { CacheRules } from '../grid/cache-rules.ts';
import type { CacheDeclaration } from '../grid/declarations.ts';
import { entityOfType, schemaOf } from '../grid/entity-types.ts';
import type { CacheDefinition } from '../grid/grid.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import type { ObjectSchema } from '../values/value.ts';
import type { Configuration } from './configuration.ts';
import { ConfigurationError } from './option.ts';
import type { Problems } from './problems.ts';
import { isPlainObject, type Node } from './shape.ts';

/** Makes checks that would otherwise fail later at startup, one mistake at a time. `parts` are the file's parts. */
export async function checkDeclarations(
  configuration: Configuration,
  parts: ReadonlyMap<string, Node>,
  problems: Problems,
): Promise<void> {
  const add = (path: string, message: string): void => {
    const place = configuration.file === undefined ? path : `${configuration.file}: ${path}`;
    problems.attempt(() => {
      throw new ConfigurationError(`${place}: ${message}`);
    });
  };
  checkTemplates(configuration, parts, add);
  checkCaches(configuration, parts, add);
  await checkUsers(configuration, parts, add, problems);
  await checkPermissions(configuration, add);
}

type Add = (path: string, message: string) => void;

/** The member that an error of CacheRules is about. Without it, the cache may have more problems. */
const MEMBERS: Partial<Record<ErrorCode, keyof CacheDeclaration>> = {
  REGION_NOT_FOUND: 'region',
  TEMPLATE_NOT_FOUND: 'template',
  BACKUPS_NEGATIVE: 'backups',
  GROUP_MISMATCH: 'group',
  GROUP_MODE_MISMATCH: 'group',
  GROUP_REGION_MISMATCH: 'group',
  SLIDING_WITHOUT_TTL: 'sliding',
};

/** Returns the location of a declared object: some in the file may have been left out because they are invalid. */
function placeIn(parts: ReadonlyMap<string, Node>, part: 'templates' | 'caches' | 'users', name: string): string {
  const list = parts.get(part)?.value;
  const at = Array.isArray(list) ? list.findIndex((each) => isPlainObject(each) && each.name === name) : -1;
  return `${part}[${at}]`;
}

/** Checks that a cache can be created from each template. */
function checkTemplates(
  { regions, templates, limits }: Configuration,
  parts: ReadonlyMap<string, Node>,
  add: Add,
): void {
  const rules = new CacheRules(regions, templates, limits);
  for (const { name } of templates) {
    const place = placeIn(parts, 'templates', name);
    checkCache({ name: 'any', template: name }, rules, [], (member, text) => add(`${place}.${member}`, text));
  }
}

function checkCaches(configuration: Configuration, parts: ReadonlyMap<string, Node>, add: Add): void {
  const { regions, templates, caches, seeds, limits } = configuration;
  const rules = new CacheRules(regions, templates, limits);
  const placeOf = (name: string): string => placeIn(parts, 'caches', name);
  const definitions: CacheDefinition[] = [];
  for (const cache of caches) {
    const place = placeOf(cache.name);
    for (let declaration: CacheDeclaration | undefined = cache; declaration !== undefined; ) {
      declaration = checkCache(declaration, rules, definitions, (member, text) => add(`${place}.${member}`, text));
    }
  }
  for (const { cache, entries } of seeds) {
    const registry = { find: (typeName: string) => findType(configuration, typeName, cache) };
    for (const [index, { key, keyType, value, valueType }] of entries.entries()) {
      const place = `${placeOf(cache)}.entries[${index}]`;
      const decode = (member: string, text: string, type: string): void =>
        reported(() => decodeTyped(text, type, registry, configuration.serviceName), `${place}.${member}`, add);
      decode('key', key, keyType);
      decode('value', value, valueType);
    }
  }
}

/** Adds a cache's first mistake, and returns the cache without the wrong member, or undefined at the end. */
function checkCache(
  declaration: CacheDeclaration,
  rules: CacheRules,
  definitions: CacheDefinition[],
  add: Add,
): CacheDeclaration | undefined {
  try {
    definitions.push(rules.fromDeclaration(declaration, definitions));
    return undefined;
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    const member = MEMBERS[error.code];
    add(member ?? 'name', error.message);
    if (member === undefined || declaration[member] === undefined) return undefined;
    const { [member]: _, ...others } = declaration;
    return { ...others, name: declaration.name };
  }
}

function reported(action: () => unknown, path: string, add: Add): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    add(path, error.message);
  }
}

/** Returns the declared type of that name, as the engines find it: a class, or a type of the cache's entities. */
function findType({ classes, caches }: Configuration, name: string, cache: string): ObjectSchema | undefined {
  const declared = classes.find(({ typeName }) => typeName === name);
  if (declared !== undefined) return declared;
  const entity = entityOfType(caches.find((each) => each.name === cache)?.entities ?? [], name);
  return entity && schemaOf(entity, name);
}

/** Checks names and passwords of the first users, whether or not the store has been created. */
async function checkUsers(
  { users, adminPassword }: Configuration,
  parts: ReadonlyMap<string, Node>,
  add: Add,
  problems: Problems,
): Promise<void> {
  if (users.length === 0 && adminPassword === undefined) return;
  // Loaded on demand, like the permissions.
  const { checkName, checkPassword } = await import('../service/security/users.ts');
  for (const { name, password } of users) {
    const place = placeIn(parts, 'users', name);
    reported(() => checkName(name), `${place}.name`, add);
    reported(() => checkPassword(password), `${place}.password`, add);
  }
  // It can come from the environment.
  const addOption = (path: string, message: string): void => {
    problems.attempt(() => {
      throw new ConfigurationError(`${path}: ${message}`);
    });
  };
  if (adminPassword !== undefined) reported(() => checkPassword(adminPassword), 'adminPassword', addOption);
}

async function checkPermissions({ permissions, jwt, compatibility }: Configuration, add: Add): Promise<void> {
  const tokenRoles = [...(jwt?.roles.values() ?? [])].flat();
  if (Object.keys(permissions).length === 0 && tokenRoles.length === 0) return;
  // Loaded on demand: they know all commands.
  const { permissionProblems } = await import('../service/security/permissions.ts');
  const { COMMANDS } = await import('../commands/registry.ts');
  const found = permissionProblems({
    declaration: permissions,
    tokenRoles,
    commands: COMMANDS,
    compatibility: compatibility,
  });
  for (const { place, message } of found) add(place, message);
}

/** Checks that the certificate files can be read and belong together. */
export async function checkCertificates({ http: { tls } }: Configuration, problems: Problems): Promise<void> {
  if (tls === undefined) return;
  const { readTlsMaterial } = await import('../http/tls.ts');
  problems.attempt(() => {
    try {
      readTlsMaterial(tls);
    } catch (error) {
      throw new ConfigurationError(`http.tls: ${errorText(error)}`, { cause: error });
    }
  });
}
