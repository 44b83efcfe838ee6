/** Shared by all descriptions of commands: groups, permissions, parameters as clients send them, examples. */

import type {
  BatchUse,
  CommandDeclaration,
  CommandGroup,
  Example,
  ExampleBody,
  Permission,
  RegisteredCommand,
} from '../commands/command.ts';
import type { Parameter } from '../commands/params.ts';
import { LIST_OF_NUMBERED } from '../values/json-parameters.ts';

/** Groups in the order in which they are described. */
export const GROUPS: { readonly [G in CommandGroup]: string } = {
  entry: 'Single entries',
  bulk: 'Several entries at once',
  counter: 'Counters',
  cache: 'Caches',
  query: 'Queries',
  savedquery: 'Saved queries',
  transfer: 'Import and export',
  task: 'Tasks',
  cluster: 'Cluster and nodes',
  user: 'Users and sessions',
  server: 'The service itself',
};

/** The rights that a caller needs if authentication is on. */
const PERMISSIONS: { readonly [P in Permission]: string } = {
  open: 'nothing, not even a login',
  login: 'valid credentials',
  session: 'a login',
  cacheRead: 'the right `read` on the cache',
  cachePut: 'the right `put` on the cache',
  cacheRemove: 'the right `remove` on the cache',
  cacheCreate: 'the right `create` on the cache',
  cacheDestroy: 'the right `destroy` on the cache',
  counter: 'the counter among those of a role',
  taskExecute: 'the task among those of a role',
  adminState: 'the administration right `state`',
  adminUsers: 'the administration right `users`',
  adminLog: 'the administration right `log`',
  adminBackup: 'the administration right `backup`',
  adminMetrics: 'the administration right `metrics`, or any other',
};

/** Returns the rights that a caller needs for a command if authentication is on. */
export function permissionOf({ needs, readsValues }: Pick<CommandDeclaration, 'needs' | 'readsValues'>): string {
  const permission = PERMISSIONS[needs];
  return readsValues === true ? permission.replace('the right', 'the rights `read` and') : permission;
}

/** The effect of a write on an entry's time to live. */
export const TIME_TO_LIVE: { readonly [D in NonNullable<CommandDeclaration['deadline']>]: string } = {
  setByExp: '`ttlMs` or `exp` sets it, `ttlMs=0` removes it; without them, an entry that has a deadline keeps it',
  setByTtlMs:
    '`ttlMs` sets it, and 0 removes it; without it, an entry that has a deadline keeps it, and `exp` has no effect',
  changed: '`ttlMs` or `exp` sets it, and 0 removes it',
  cleared: 'it is removed',
  removed: 'it is removed with the entry; an entry that is stored again has none',
};

const BATCH_USES: { readonly [U in BatchUse]: string } = {
  atomic: 'also in atomic ones',
  separate: 'not in atomic ones',
  streams: 'never',
  logsIn: 'never',
  isBatch: 'never',
  returnsBytes: 'never',
  returnsRows: 'never',
  returnsChanges: 'never',
};

/** Returns which batches may contain a command, and how its response appears there. */
export function batchUse({ batch, isCondition }: CommandDeclaration): string {
  const condition = isCondition === true ? '; the response false rolls them back, unless `abortOnFalse` is false' : '';
  return BATCH_USES[batch] + condition;
}

/** The service name that declarations use. */
const NEUTRAL_NAME = 'svc';

/** Replaces the service name in a declaration's text (`svc.login`, `/svc`) by the configured one. */
export function withServiceName(serviceName: string, text: string): string {
  if (serviceName === NEUTRAL_NAME) return text;
  return text
    .replace(/\bsvc(?=\.(?:login|password)\b)/g, serviceName)
    .replace(/(?<=^|[\s`])\/svc\b/g, `/${serviceName}`);
}

/** A parameter as a client sends it. */
export interface WireParameter {
  /** The name; without the number if the parameter is numbered. */
  readonly name: string;
  readonly numbered: boolean;
  readonly kind: Parameter<unknown>['kind'] | 'typeName';
  /** Whether the command fails without it. */
  readonly required: boolean;
  readonly defaultText: string | undefined;
  readonly choices: readonly string[] | undefined;
  readonly typedBy: 'keyType' | 'valueType' | undefined;
  readonly summary: string;
}

/** Returns a command's declared parameters, then those that name their types. */
export function wireParameters(command: RegisteredCommand, serviceName: string): readonly WireParameter[] {
  const declared = Object.values(command.params);
  const replaceable = new Set(declared.map(({ alternativeTo }) => alternativeTo));
  const own = declared.map((parameter): WireParameter => {
    const { name, numbered, kind, checkedByHandler, defaultText, choices, typedBy, summary } = parameter;
    const required = parameter.required && !replaceable.has(name);
    return {
      name: withServiceName(serviceName, name),
      numbered,
      kind,
      required: checkedByHandler || (required && defaultText === undefined),
      defaultText,
      choices,
      typedBy,
      summary: withServiceName(serviceName, summary),
    };
  });
  const types = new Set(declared.flatMap(({ typedBy }) => typedBy ?? []));
  return [...own, ...[...types].map(typeParameter)];
}

function typeParameter(name: 'keyType' | 'valueType'): WireParameter {
  return {
    name,
    numbered: false,
    kind: 'typeName',
    required: false,
    defaultText: 'string',
    choices: undefined,
    typedBy: undefined,
    summary: name === 'keyType' ? 'Name of the type of keys.' : 'Name of the type of values.',
  };
}

/** Returns the name of a parameter as texts show it: `key`, or `k1, k2 ...` if it is numbered. */
export function shownName({ name, numbered }: WireParameter): string {
  return numbered ? `${name}1, ${name}2 ...` : name;
}

/** The values that a parameter of a kind accepts, if they do not depend on the parameter. */
const SHOWN_TYPES: Readonly<Record<Exclude<WireParameter['kind'], 'choice'>, string>> = {
  string: 'string',
  value: 'a value',
  long: 'whole number, 64 bits',
  integer: 'whole number, 32 bits',
  number: 'whole number',
  boolean: 'true or false',
  commands: 'JSON array of objects',
  typeName: 'name of a type',
};

/** Describes the values that a parameter accepts. */
export function shownType({ kind, choices = [], typedBy }: WireParameter): string {
  if (kind === 'choice') return choices.join(', ');
  return typedBy === undefined ? SHOWN_TYPES[kind] : `by ${typedBy}`;
}

/** A request of an example. */
export interface ExampleRequest {
  /** Query string, with the name of the service. */
  readonly query: string;
  /** The parameters without `cmd`, in order. */
  readonly params: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: ExampleBody | undefined;
}

/** Returns the last request of an example; {@link examplePreparations} returns those before it. */
export function exampleRequest({ query, body }: Example, serviceName: string): ExampleRequest {
  return parseQuery(withServiceName(serviceName, query), body);
}

/** Returns the requests that must precede the one in an example. */
export function examplePreparations({ before = [] }: Example, serviceName: string): readonly ExampleRequest[] {
  return before.map((each) => {
    const { query, body } = typeof each === 'string' ? { query: each, body: undefined } : each;
    return parseQuery(withServiceName(serviceName, query), body);
  });
}

function parseQuery(query: string, body: ExampleBody | undefined): ExampleRequest {
  const params = [...new URLSearchParams(query)].filter(([name]) => name !== 'cmd');
  return { query, params, body };
}

/** Returns the parameters of a request as the members of a JSON request. */
export function requestParameters(
  { params }: ExampleRequest,
  command: RegisteredCommand,
  serviceName: string,
): Readonly<Record<string, unknown>> {
  const declared = wireParameters(command, serviceName);
  const given: Record<string, unknown> = {};
  for (const [name, text] of params) {
    const stem = /^([a-z]+)[1-9]\d*$/.exec(name)?.[1];
    const list = declared.find((each) => each.numbered && each.name === stem);
    if (list === undefined) given[name] = jsonValue(declared.find((each) => each.name === name)?.kind, text);
    else {
      const member = LIST_OF_NUMBERED[list.name] ?? list.name;
      const items = given[member];
      given[member] = [...(Array.isArray(items) ? items : []), jsonValue(list.kind, text)];
    }
  }
  return given;
}

function jsonValue(kind: WireParameter['kind'] | undefined, text: string): unknown {
  // The id of a cursor is a placeholder in examples.
  if (/^-?\d+$/.test(text) && (kind === 'integer' || kind === 'long' || kind === 'number')) return Number(text);
  return kind === 'boolean' || kind === 'commands' ? JSON.parse(text) : text;
}

/** Returns the lines that show a request; a body follows its media type after an empty line. */
export function requestLines({ query, body }: ExampleRequest, serviceName: string): readonly string[] {
  if (body === undefined) return [`GET /${serviceName}?${query}`];
  return [`POST /${serviceName}?${query}`, `Content-Type: ${body.type}`, '', ...body.text.trimEnd().split('\n')];
}
