/** The commands of the service, from the OpenAPI document that it serves. */
import { SvcError } from '../requests/request.ts';

export interface CommandParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** `any`: the type depends on `keyType` and `valueType`. */
  readonly type: 'any' | 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly choices: readonly string[];
}

export interface CommandDescription {
  readonly name: string;
  readonly group: string;
  /** The label of the group, such as Single entries. */
  readonly groupTitle: string;
  readonly summary: string;
  readonly description: string;
  /** A description of the response; empty if the document does not say. */
  readonly answer: string;
  /** Codes of errors that not every command has. */
  readonly errors: readonly string[];
  readonly since: string;
  readonly access: 'read' | 'write';
  readonly needs: string;
  readonly parameters: readonly CommandParameter[];
  /** Whether the body of the request is a file instead of parameters. */
  readonly hasFileBody: boolean;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface DeclaredParameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Operation {
  readonly description?: string;
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
  readonly parameters?: readonly DeclaredParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

type DeclaredCommand = Pick<CommandDescription, 'group' | 'summary' | 'since' | 'access' | 'needs' | 'errors'>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-commands': Readonly<Record<string, DeclaredCommand>>;
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly components: Readonly<Record<string, unknown>>;
}

const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'array']);
/** Every command has them, and the console needs its own. */
const COMMON: ReadonlySet<string> = new Set(['httpStatus', 'errors', 'numbers', 'dates', 'cacheFlags']);

/** Reads the document. Throws SvcError. */
export async function readCommands(signal: AbortSignal): Promise<readonly CommandDescription[]> {
  const response = await fetch('openapi.json', { signal });
  if (!response.ok) {
    throw new SvcError(`The service answered with ${response.status}.`, 'openapi.json', 1, response.status);
  }
  const document = (await response.json()) as Document;
  const operations = new Map(
    Object.entries(document.paths).map(([path, methods]) => [
      path.split('/').at(-1) ?? '',
      methods.post ?? methods.get,
    ]),
  );
  const place = new Map(document.tags.map(({ name }, index) => [name, index]));
  const placeOf = ({ group }: CommandDescription): number => place.get(group) ?? place.size;
  const all = Object.values(document['x-commands']);
  const common = new Set(all[0]?.errors.filter((code) => all.every(({ errors }) => errors.includes(code))));
  return Object.entries(document['x-commands'])
    .map(([name, command]) => describe(document, name, command, operations.get(name) ?? {}, common))
    .sort((a, b) => placeOf(a) - placeOf(b) || a.name.localeCompare(b.name));
}

function describe(
  document: Document,
  name: string,
  command: DeclaredCommand,
  operation: Operation,
  common: ReadonlySet<string>,
): CommandDescription {
  const { group, summary, since, access, needs } = command;
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json']?.schema;
  const body = json === undefined ? undefined : resolve<Schema>(document, json);
  const fromBody = Object.entries(body?.properties ?? {}).map(([member, schema]) =>
    parameterOf(
      member,
      resolve<Schema>(document, schema),
      schema.description,
      body?.required?.includes(member) === true,
    ),
  );
  const fromQuery = (operation.parameters ?? [])
    .map((each) => resolve<DeclaredParameter>(document, each))
    .filter((each) => each.in === 'query')
    .map((each) => parameterOf(each.name, each.schema ?? {}, each.description, each.required === true));
  const parameters = [...fromBody, ...fromQuery].filter((each) => !COMMON.has(each.name));
  const [description = ''] = (operation.description ?? '').split('\n\nExample:');
  const hasFileBody = operation.requestBody !== undefined && json === undefined;
  const groupTitle = document.tags.find((tag) => tag.name === group)?.description ?? group;
  const answer = operation.responses?.['200']?.description ?? '';
  const errors = command.errors.filter((code) => !common.has(code));
  const texts = { group, groupTitle, summary, description, answer };
  return { name, ...texts, errors, since, access, needs, parameters, hasFileBody };
}

function parameterOf(
  name: string,
  schema: Schema,
  description: string | undefined,
  isRequired: boolean,
): CommandParameter {
  const type = TYPES.has(schema.type ?? '') ? (schema.type as CommandParameter['type']) : 'any';
  const choices = type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []);
  return { name, description: description ?? schema.description ?? '', isRequired, type, choices };
}

function resolve<T>(document: Document, part: { readonly $ref?: string }): T {
  if (part.$ref === undefined) return part as T;
  let found: unknown = document;
  for (const name of part.$ref.slice(2).split('/')) found = (found as Readonly<Record<string, unknown>>)[name];
  return found as T;
}
