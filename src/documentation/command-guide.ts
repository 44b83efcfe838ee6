/** What the descriptions of commands share: groups, parameters as they stand on the wire, examples, words. */
import type { CommandGroup, Example, Permission, RegisteredCommand } from '../commands/command.ts';
import type { Parameter } from '../commands/params.ts';

/** Groups in the order in which they are described. */
export const GROUPS: { readonly [G in CommandGroup]: string } = {
  entry: 'Single entries',
  bulk: 'Several entries at once',
  counter: 'Counters',
  cache: 'Caches',
  query: 'Queries',
  task: 'Tasks',
  cluster: 'Cluster and nodes',
  user: 'Users and sessions',
  server: 'The service itself',
};

/** What a caller needs, where authentication is on. */
export const PERMISSIONS: { readonly [P in Permission]: string } = {
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
};

/** The declarations' word for the service, which each service replaces by its own name. */
const NEUTRAL_NAME = 'svc';

/** A text of a declaration as the service of that name words it: `svc.login` and `/svc` carry the service's name. */
export function inWordsOf(serviceName: string, text: string): string {
  if (serviceName === NEUTRAL_NAME) return text;
  return text
    .replace(/\bsvc(?=\.(?:login|password)\b)/g, serviceName)
    .replace(/(?<=^|[\s`])\/svc\b/g, `/${serviceName}`);
}

/** A parameter as a client sends it. */
export interface WireParameter {
  /** The name; of a numbered one the stem. */
  readonly name: string;
  readonly numbered: boolean;
  readonly kind: Parameter<unknown>['kind'] | 'typeName';
  /** Whether the command is refused without it. */
  readonly required: boolean;
  readonly defaultText: string | undefined;
  readonly choices: readonly string[] | undefined;
  readonly typedBy: 'keyType' | 'valueType' | undefined;
  readonly summary: string;
}

/** The parameters of a command: the declared ones, then the names of the types that they are typed by. */
export function wireParameters(command: RegisteredCommand, serviceName: string): readonly WireParameter[] {
  const declared = Object.values(command.params);
  const own = declared.map((parameter): WireParameter => {
    const { name, numbered, kind, required, checkedByHandler, defaultText, choices, typedBy, summary } = parameter;
    return {
      name: inWordsOf(serviceName, name),
      numbered,
      kind,
      required: checkedByHandler || (required && defaultText === undefined),
      defaultText,
      choices,
      typedBy,
      summary: inWordsOf(serviceName, summary),
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

/** How a parameter is written in a text: `key`, and `k1`, `k2` ... for a numbered one. */
export function shownName({ name, numbered }: WireParameter): string {
  return numbered ? `${name}1, ${name}2 ...` : name;
}

/** What may stand in a parameter, in words. */
export function shownType({ kind, choices, typedBy }: WireParameter): string {
  switch (kind) {
    case 'string':
      return 'string';
    case 'value':
      return typedBy === undefined ? 'a value' : `by ${typedBy}`;
    case 'long':
      return 'whole number, 64 bits';
    case 'integer':
      return 'whole number, 32 bits';
    case 'number':
      return 'whole number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return (choices ?? []).join(', ');
    case 'typeName':
      return 'name of a type';
  }
}

/** A request of an example, taken apart. */
export interface ExampleRequest {
  /** Query string in the words of the service. */
  readonly query: string;
  /** The parameters without `cmd`, in order. */
  readonly params: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The last request of an example; those before it are in {@link examplePreparations}. */
export function exampleRequest({ query }: Example, serviceName: string): ExampleRequest {
  return takeApart(inWordsOf(serviceName, query));
}

/** The requests that an example needs before its own. */
export function examplePreparations({ before = [] }: Example, serviceName: string): readonly ExampleRequest[] {
  return before.map((query) => takeApart(inWordsOf(serviceName, query)));
}

function takeApart(query: string): ExampleRequest {
  const params = [...new URLSearchParams(query)].filter(([name]) => name !== 'cmd');
  return { query, params };
}
