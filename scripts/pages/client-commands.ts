/** Generates the methods of the TypeScript client, with their parameters and responses, from the declarations. */
import { LIST_OF_NUMBERED } from '../../src/base/json-parameters.ts';
import { acceptsKey, type RegisteredCommand } from '../../src/commands/command.ts';
import { pageSize } from '../../src/commands/params.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import type { JsonSchema } from '../../src/commands/reply.ts';
import { type WireParameter, wireParameters } from '../../src/documentation/command-guide.ts';
import { describedErrors } from '../../src/documentation/error-guide.ts';
import { schemaName } from '../../src/documentation/openapi-commands.ts';

/** The name that the declarations use; the client replaces it by that of its service. */
const SERVICE_NAME = 'svc';
const COLUMNS = 118;

function streamsRows({ batch }: RegisteredCommand): boolean {
  return batch === 'streams' || batch === 'returnsRows' || batch === 'returnsChanges';
}

/** Returns the commands with a JSON request and an envelope. */
function clientCommands(): readonly RegisteredCommand[] {
  return COMMANDS.filter((command) => !streamsRows(command));
}

/** Returns the source of `src/client/commands.ts`. */
export function clientCommandsFile(): string {
  const commands = clientCommands();
  const streams = COMMANDS.filter(streamsRows);
  return [
    '/** The methods of the client, one for each command. Generated from the declarations: npm run generate. */',
    "import type { Decimal, Json } from './exact-json.ts';",
    '',
    '/** A key or a value to send. */',
    'export type JsonInput =',
    '  | boolean',
    '  | number',
    '  | bigint',
    '  | Decimal',
    '  | string',
    '  | readonly JsonInput[]',
    '  | { readonly [name: string]: JsonInput | null };',
    '',
    '/** A command of a batch: its name and its parameters. */',
    'export interface BatchCommand {',
    '  readonly cmd: keyof CommandParameters;',
    '  readonly [parameter: string]: unknown;',
    '}',
    '',
    '/** The codes of errors, also of later versions. */',
    'export type ErrorCode =',
    ...describedErrors().map(({ code }) => `  | '${code}'`),
    '  | (string & Record<never, never>);',
    '',
    ...commands.flatMap((command) => [...parametersType(command), '', ...responseTypes(command), '']),
    // Their methods are in client.ts.
    ...streams.flatMap((command) => [...parametersType(command), '']),
    ...streams.filter(({ body }) => body === 'stream').flatMap((command) => [...responseTypes(command), '']),
    'export interface CommandParameters {',
    ...commands.map((command) => `  readonly ${command.name}: ${schemaName(command)}Parameters;`),
    '}',
    '',
    'export interface CommandResponses {',
    ...commands.map((command) => `  readonly ${command.name}: ${schemaName(command)}Response;`),
    '}',
    '',
    '/** How the client sends a command and reads its response. */',
    'export interface CommandTraits {',
    '  /** How often the request may be sent: `any`; `keyed`: with an idempotency key; `once`. */',
    "  readonly repeats: 'any' | 'keyed' | 'once';",
    '  /** The response is a 64-bit integer. */',
    '  readonly long?: true;',
    '  /** The response is a page, whose size the client sets if the caller does not. */',
    '  readonly paged?: true;',
    '}',
    '',
    'export const COMMAND_TRAITS: { readonly [C in keyof CommandParameters]: CommandTraits } = {',
    ...commands.map((command) => `  ${command.name}: ${traits(command)},`),
    '};',
    '',
    '/** What every call accepts. */',
    'export interface CallOptions {',
    '  /** Cancels the call. */',
    '  readonly signal?: AbortSignal;',
    '  /** Executes a write once, however often it is sent with this key. The client creates one otherwise. */',
    '  readonly idempotencyKey?: string;',
    '}',
    '',
    'export abstract class CommandMethods {',
    '  abstract call<C extends keyof CommandParameters>(',
    '    command: C,',
    '    parameters: CommandParameters[C],',
    '    options?: CallOptions,',
    '  ): Promise<CommandResponses[C]>;',
    ...commands.flatMap(methodLines),
    '}',
    '',
  ].join('\n');
}

function traits(command: RegisteredCommand): string {
  const { access, cursor, reply, batch } = command;
  const isRead = access === 'read' && cursor === undefined && batch !== 'logsIn';
  const repeats = acceptsKey(command) ? 'keyed' : isRead ? 'any' : 'once';
  const long = reply.schema.format === 'int64' ? ', long: true' : '';
  const paged = Object.values(command.params).some(({ name }) => name === pageSize.name) ? ', paged: true' : '';
  return `{ repeats: '${repeats}'${long}${paged} }`;
}

/** Returns the parameters that callers set: the method decides whether the response is a stream. */
function clientParameters(command: RegisteredCommand): readonly WireParameter[] {
  const parameters = wireParameters(command, SERVICE_NAME);
  return command.batch === 'returnsBytes' ? parameters.filter(({ name }) => name !== 'stream') : parameters;
}

function parametersType(command: RegisteredCommand): readonly string[] {
  const parameters = clientParameters(command);
  const name = `${schemaName(command)}Parameters`;
  if (parameters.length === 0) return [`export type ${name} = Readonly<Record<string, never>>;`];
  const others = command.acceptsOthers === true ? ['  readonly [name: string]: JsonInput | undefined;'] : [];
  return [`export interface ${name} {`, ...parameters.flatMap(parameterLines), ...others, '}'];
}

function parameterLines(parameter: WireParameter): readonly string[] {
  const { name, numbered, required, summary, defaultText } = parameter;
  const shown = numbered ? (LIST_OF_NUMBERED[name] ?? name) : name;
  const key = /^\w+$/.test(shown) ? shown : `'${shown}'`;
  const type = numbered ? `readonly ${elementType(parameter)}[]` : elementType(parameter);
  const isPaged = name === pageSize.name;
  const words = isPaged
    ? 'Maximum number of rows of the page; 0 returns only the columns. Default of the client: 1,000.'
    : defaultText === undefined
      ? summary
      : `${summary} Default: ${defaultText}.`;
  const isRequired = required && !isPaged;
  return [
    ...comment(words, '  '),
    `  readonly ${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`,
  ];
}

function elementType({ kind, choices }: WireParameter): string {
  switch (kind) {
    case 'string':
    case 'typeName':
      return 'string';
    case 'value':
      return 'JsonInput';
    case 'long':
    case 'number':
      return 'number | bigint';
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'commands':
      return 'readonly BatchCommand[]';
    case 'choice':
      return (choices ?? []).map((choice) => `'${choice}'`).join(' | ');
  }
}

function comment(words: string, indent: string): readonly string[] {
  const single = `${indent}/** ${words} */`;
  if (single.length <= COLUMNS) return [single];
  const lines = [''];
  for (const word of words.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (`${indent} * ${last} ${word}`.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function methodLines(command: RegisteredCommand): readonly string[] {
  const { name, summary } = command;
  const title = schemaName(command);
  const parameters = clientParameters(command);
  const isOptional = parameters.every(({ required }) => !required);
  const given = `parameters: ${title}Parameters${isOptional ? ' = {}' : ''}`;
  return [
    '',
    ...comment(summary, '  '),
    `  ${name}(${given}, options?: CallOptions): Promise<${title}Response> {`,
    `    return this.call('${name}', parameters, options);`,
    '  }',
  ];
}

/** Returns the types of the response, each object as an interface of its own. */
function responseTypes(command: RegisteredCommand): readonly string[] {
  const { schema } = command.reply;
  const title = `${schemaName(command)}Response`;
  if (schema.format === 'int64') {
    return [`export type ${title} = ${[schema.type].flat().includes('null') ? 'bigint | null' : 'bigint'};`];
  }
  const objects = new ObjectTypes();
  const type = objects.typeOf(schema, `${schemaName(command)}Result`);
  return [...objects.lines, `export type ${title} = ${type};`];
}

/** Names the object types in a schema. */
class ObjectTypes {
  readonly lines: string[] = [];
  readonly #names = new Map<string, string>();

  typeOf(schema: JsonSchema, name: string): string {
    const { type, const: constant, enum: values } = schema;
    if (constant !== undefined) return JSON.stringify(constant);
    if (Array.isArray(values)) return values.map((value) => `'${String(value)}'`).join(' | ');
    if (type === undefined) return 'Json';
    return [type]
      .flat()
      .map((each) => this.#named(String(each), schema, name))
      .join(' | ');
  }

  #named(type: string, schema: JsonSchema, name: string): string {
    switch (type) {
      case 'integer':
        return schema.format === 'int64' ? 'number | bigint' : 'number';
      case 'array':
        return `ReadonlyArray<${isSchema(schema.items) ? this.typeOf(schema.items, name) : 'Json'}>`;
      case 'object':
        return this.#object(schema, name);
      default:
        return type;
    }
  }

  #object({ properties, required, additionalProperties }: JsonSchema, name: string): string {
    if (!isSchema(properties)) {
      const value = isSchema(additionalProperties) ? this.typeOf(additionalProperties, name) : 'Json';
      return `Readonly<Record<string, ${value}>>`;
    }
    const known = this.#names.get(JSON.stringify(properties));
    if (known !== undefined) return known;
    this.#names.set(JSON.stringify(properties), name);
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    const members = Object.entries(properties).map(([member, part]) => {
      const own = `${name}${member.charAt(0).toUpperCase()}${member.slice(1)}`;
      const type = isSchema(part) ? this.typeOf(part, own) : 'Json';
      return `  readonly ${member}${names.includes(member) ? '' : '?'}: ${type};`;
    });
    this.lines.push(`export interface ${name} {`, ...members, '}', '');
    return name;
  }
}

function isSchema(part: JsonSchema[string] | undefined): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}
