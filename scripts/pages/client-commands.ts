/** Generates the methods of the TypeScript client, with their parameters and responses, from the declarations. */
import { describedErrors } from '../../src/documentation/error-guide.ts';
import {
  type ClientCommand,
  type ClientParameter,
  envelopeCommands,
  type ReplyType,
  streamCommands,
} from './client-model.ts';

const COLUMNS = 118;

/** Returns the source of `src/client/commands.ts`. */
export function clientCommandsFile(): string {
  const commands = envelopeCommands();
  const streams = streamCommands();
  return [
    '/** The methods of the client, one for each command. Generated from the declarations: npm run generate. */',
    "import type { Decimal, Json } from './exact-json.ts';",
    '',
    '/** A key or a value to send. */',
    'export type JsonInput = boolean | number | bigint | Decimal | string | object;',
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
    ...streams.filter(({ objects }) => objects.length > 0).flatMap((command) => [...responseTypes(command), '']),
    'export interface CommandParameters {',
    ...commands.map((command) => `  readonly ${command.name}: ${command.title}Parameters;`),
    '}',
    '',
    'export interface CommandResponses {',
    ...commands.map((command) => `  readonly ${command.name}: ${command.title}Response;`),
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
    '  /** Calls of one tick may share a batch. */',
    '  readonly batched?: true;',
    '  /** The names of its parameters. */',
    '  readonly takes: readonly string[];',
    '}',
    '',
    'export const COMMAND_TRAITS: { readonly [C in keyof CommandParameters]: CommandTraits } = {',
    ...commands.map((command) => `  ${command.name}: ${traits(command)},`),
    '};',
    '',
    '/** The HTTP statuses of errors, which the results of a batch do not name. */',
    'export const ERROR_STATUSES: Readonly<Partial<Record<string, number>>> = {',
    ...describedErrors().map(({ code, http }) => `  ${code}: ${http},`),
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

function traits({ repeats, isPaged, isBatched, reply, parameters }: ClientCommand): string {
  const flags = `${isLong(reply) ? ', long: true' : ''}${isPaged ? ', paged: true' : ''}${isBatched ? ', batched: true' : ''}`;
  const takes = parameters.map(({ name }) => `'${name}'`);
  const single = `{ repeats: '${repeats}'${flags}, takes: [${takes.join(', ')}] }`;
  if (single.length < COLUMNS - 20) return single;
  const members = single.slice(2, single.indexOf(', takes: '));
  const oneLine = `    takes: [${takes.join(', ')}],`;
  const list =
    oneLine.length <= COLUMNS + 2 ? [oneLine] : ['    takes: [', ...takes.map((each) => `      ${each},`), '    ],'];
  return ['{', ...members.split(', ').map((each) => `    ${each},`), ...list, '  }'].join('\n');
}

function isLong(reply: ReplyType): boolean {
  return reply.kind === 'long' || (reply.kind === 'union' && reply.of.some(isLong));
}

function parametersType({ title, parameters, acceptsOthers }: ClientCommand): readonly string[] {
  const name = `${title}Parameters`;
  if (parameters.length === 0) return [`export type ${name} = Readonly<Record<string, never>>;`];
  const others = acceptsOthers ? ['  readonly [name: string]: JsonInput | undefined;'] : [];
  return [`export interface ${name} {`, ...parameters.flatMap(parameterLines), ...others, '}'];
}

function parameterLines(parameter: ClientParameter): readonly string[] {
  const { name, isList, required, summary } = parameter;
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const type = isList ? `readonly ${elementType(parameter)}[]` : elementType(parameter);
  return [
    ...comment(summary, '  '),
    `  readonly ${key}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'};`,
  ];
}

function elementType({ kind, choices, name, isTextList }: ClientParameter): string {
  if (isTextList) return 'string | readonly string[]';
  switch (kind) {
    case 'string':
    case 'typeName':
      return 'string';
    case 'value':
      return name === 'args' ? '(JsonInput | null)' : 'JsonInput';
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
      return choices.map((choice) => `'${choice}'`).join(' | ');
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

function methodLines({ name, title, summary, parameters }: ClientCommand): readonly string[] {
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

/** Returns the types of the response, each object as a separate interface. */
function responseTypes({ title, reply, objects }: ClientCommand): readonly string[] {
  // A long alone is always a bigint; within an object it may be a number.
  const type = isLong(reply) ? typeText(reply).replace('number | bigint', 'bigint') : typeText(reply);
  return [
    ...objects.flatMap(({ name, members }) => [
      `export interface ${name} {`,
      ...members.map((each) => `  readonly ${each.name}${each.required ? '' : '?'}: ${typeText(each.type)};`),
      '}',
      '',
    ]),
    `export type ${title}Response = ${type};`,
  ];
}

function typeText(type: ReplyType): string {
  switch (type.kind) {
    case 'json':
      return 'Json';
    case 'constant':
      return JSON.stringify(type.value);
    case 'choice':
      return type.values.map((value) => `'${value}'`).join(' | ');
    case 'long':
      return 'number | bigint';
    case 'integer':
      return 'number';
    case 'list':
      return `ReadonlyArray<${typeText(type.of)}>`;
    case 'map':
      return `Readonly<Record<string, ${typeText(type.of)}>>`;
    case 'object':
      return type.name;
    case 'union':
      return type.of.map(typeText).join(' | ');
    case 'string':
    case 'boolean':
    case 'number':
    case 'null':
      return type.kind;
  }
}
