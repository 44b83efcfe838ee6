/** Reads the parts that only a configuration file can declare. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { configuredSubject } from '../http/certificates/certificate-subject.ts';
import { NameError } from '../http/certificates/distinguished-name.ts';
import type { PermissionDeclaration } from '../service/security/permissions.ts';
import type { RoleDeclaration } from '../service/security/roles.ts';
import type { MappedTask, TaskDeclaration, TaskDeclarations, TaskFunction } from '../service/tasks/task-declaration.ts';
import type { MessageInterceptor } from '../values/interceptor.ts';
import type { Declarations } from './configuration.ts';
import type { ScanPredicate } from './declaration.ts';
import { readCache, readClass, readRegion, readTemplate } from './grid-parts.ts';
import { ConfigurationError } from './option.ts';
import type { Problems } from './problems.ts';
import { choice, isPlainObject, listOf, type Node, objectOf, type Reader, recordOf, text, texts } from './shape.ts';

/** Members of a configuration file that are not options. */
export const PARTS = [
  'users',
  'certificateUsers',
  'permissions',
  'regions',
  'templates',
  'caches',
  'classes',
  'tasks',
  'scanPredicates',
  'interceptor',
] as const;

/** Reads all parts; task paths are relative to the configuration file `file`. */
export function readDeclarations(parts: ReadonlyMap<string, Node>, file: string, problems: Problems): Declarations {
  const each = <T>(name: (typeof PARTS)[number], read: (node: Node) => T): T[] =>
    (problems.attempt(() => parts.get(name)?.array()) ?? []).flatMap((node) => listed(problems.read(node, read)));
  const named = <T>(name: (typeof PARTS)[number], read: (name: string, node: Node) => T): T[] =>
    (problems.attempt(() => parts.get(name)?.record()) ?? []).flatMap(([member, node]) =>
      listed(problems.read(node, (each) => read(member, each))),
    );
  const readPart = <T>(name: (typeof PARTS)[number], read: (node: Node) => T): T | undefined => {
    const node = parts.get(name);
    return node && problems.read(node, read);
  };
  const caches = each('caches', readCache);
  const certificateUsers = new Map<string, string>();
  named('certificateUsers', (subject, user) => addCertificateUser(certificateUsers, subject, user));
  const declarations: Declarations = {
    users: each('users', readUser),
    certificateUsers,
    permissions: readPart('permissions', readPermissions) ?? {},
    regions: each('regions', readRegion),
    templates: each('templates', readTemplate),
    caches: caches.map(({ cache }) => cache),
    seeds: caches.flatMap(({ seed }) => (seed === undefined ? [] : [seed])),
    classes: named('classes', readClass),
    tasks: Object.fromEntries(named('tasks', (name, node) => [name, readTask(node, file)] as const)),
    scanPredicates: new Map(named('scanPredicates', (name, node) => [name, readPredicate(node)] as const)),
    interceptor: readPart('interceptor', readInterceptor),
  };
  for (const name of ['users', 'regions', 'templates', 'caches'] as const) {
    problems.attempt(() => checkUnique(name, declarations[name]));
  }
  return declarations;
}

function listed<T>(found: T | undefined): T[] {
  return found === undefined ? [] : [found];
}

/** Maps a canonical subject to a user, however the file orders and escapes the subject. */
function addCertificateUser(users: Map<string, string>, subject: string, user: Node): void {
  const name = user.text();
  const canonical = subjectOf(subject, user.place);
  const other = users.get(canonical);
  if (other !== undefined && other !== name) {
    throw new ConfigurationError(`${user.place}: the same subject already maps to ${other}`);
  }
  users.set(canonical, name);
}

function subjectOf(text: string, place: string): string {
  try {
    return configuredSubject(text);
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw new ConfigurationError(`${place}: must be a subject as in RFC 4514 (CN=ann,O=Example): ${error.message}`);
  }
}

function checkUnique(part: string, list: ReadonlyArray<{ readonly name: string }>): void {
  const seen = new Set<string>();
  for (const { name } of list) {
    if (seen.has(name)) throw new ConfigurationError(`${part}: ${name} is declared twice`);
    seen.add(name);
  }
}

const readUser = objectOf({ name: text, password: (each: Node) => each.secret() }, {});

const CACHE_RIGHTS = ['read', 'put', 'remove', 'create', 'destroy'] as const;
const RIGHT_WORDS = ['read', 'write', 'all'] as const;
const ADMINISTRATION = ['state', 'users', 'log', 'backup', 'metrics'] as const;

const rights = (each: Node) =>
  Array.isArray(each.value) ? listOf(choice(CACHE_RIGHTS))(each) : each.choice(RIGHT_WORDS);

const readRole: Reader<RoleDeclaration> = objectOf(
  {},
  {
    commands: texts,
    caches: recordOf(rights),
    tables: recordOf(rights),
    counters: texts,
    tasks: texts,
    administration: listOf(choice(ADMINISTRATION)),
  },
);

/** Checks only the shape; createPermissions checks the names of commands, groups and rights. */
const readPermissions: Reader<PermissionDeclaration> = objectOf(
  {},
  { roles: recordOf(readRole), users: recordOf(texts), others: texts },
);

/** Reads the tasks by name. Module paths are relative to the configuration file `file`. Throws ConfigurationError. */
export function readTasks(node: Node | undefined, file: string): TaskDeclarations {
  return Object.fromEntries(node?.record().map(([name, task]) => [name, readTask(task, file)]) ?? []);
}

function readTask(node: Node, file: string): TaskDeclaration {
  const { value } = node;
  if (isTaskFunction(value) || isMappedTask(value)) return value;
  if (typeof value !== 'string')
    throw node.wrong('a function, an object with map, job and reduce, or the path of a module');
  const path = resolve(dirname(file), node.text());
  if (!existsSync(path)) throw new ConfigurationError(`${node.place}: there is no file ${path}`);
  return path;
}

function isTaskFunction(value: unknown): value is TaskFunction {
  return typeof value === 'function';
}

function isMappedTask(value: unknown): value is MappedTask {
  return isPlainObject(value) && ['map', 'job', 'reduce'].every((name) => typeof value[name] === 'function');
}

function readPredicate(node: Node): ScanPredicate {
  const { value } = node;
  if (typeof value !== 'function') throw node.wrong('a function of a key and a value');
  return (key, entry) => Boolean(value(key, entry));
}

function readInterceptor(node: Node): MessageInterceptor {
  const { value } = node;
  if (!isPlainObject(value)) throw node.wrong('an object with onReceive, onSend or both');
  for (const name of ['onReceive', 'onSend']) {
    const member = value[name];
    if (member !== undefined && typeof member !== 'function') throw node.child(member, name).wrong('a function');
  }
  return value;
}
