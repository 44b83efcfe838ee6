/** The model of the commands for the generated clients of all languages, from the declarations. */

import { acceptsKey, type RegisteredCommand } from '../../src/commands/command.ts';
import { pageSize } from '../../src/commands/params.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import type { JsonSchema } from '../../src/commands/reply.ts';
import { GROUPS, type WireParameter, wireParameters } from '../../src/documentation/command-guide.ts';
import { schemaName } from '../../src/documentation/openapi-commands.ts';
import { LIST_OF_NUMBERED } from '../../src/values/json-parameters.ts';

/** The name that the declarations use; a client replaces it by the name of its service. */
const SERVICE_NAME = 'svc';
/** The parameter that makes `getall` return a list. */
const ARRAY_FORM = 'asArray';

export interface ClientParameter {
  /** The name of the member in a JSON request: `keys` for k1, k2 ... */
  readonly name: string;
  readonly kind: WireParameter['kind'];
  readonly isList: boolean;
  /** Whether it is a comma-separated list, which may be an array of strings. */
  readonly isTextList: boolean;
  readonly required: boolean;
  readonly choices: readonly string[];
  readonly summary: string;
}

export interface ClientCommand {
  readonly name: string;
  /** The name as a part of the names of types: `Getput`. */
  readonly title: string;
  readonly group: string;
  readonly summary: string;
  /** The parameters that callers set: the method decides whether the response is a stream. */
  readonly parameters: readonly ClientParameter[];
  /** Whether it accepts the parameters of any command in addition to its own. */
  readonly acceptsOthers: boolean;
  /** How often the request may be sent: `any`; `keyed`: with an idempotency key; `once`. */
  readonly repeats: 'any' | 'keyed' | 'once';
  /** Whether the response is a page, whose size the client sets if the caller does not. */
  readonly isPaged: boolean;
  /** Whether it concerns one entry or counter, so its response may be part of a batch's response. */
  readonly isBatched: boolean;
  readonly reply: ReplyType;
  /** The objects in the reply, nested ones first. */
  readonly objects: readonly ReplyObject[];
}

/** The type of a response, or of a part of it. `json`: any value. */
export type ReplyType =
  | { readonly kind: 'json' | 'string' | 'boolean' | 'number' | 'integer' | 'long' | 'null' }
  | { readonly kind: 'constant'; readonly value: string | boolean }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list' | 'map'; readonly of: ReplyType }
  | { readonly kind: 'object'; readonly name: string; readonly isOpen: boolean }
  | { readonly kind: 'union'; readonly of: readonly ReplyType[] };

export interface ReplyObject {
  readonly name: string;
  /** Whether it has other members, with any names. */
  readonly isOpen: boolean;
  readonly members: ReadonlyArray<{ readonly name: string; readonly required: boolean; readonly type: ReplyType }>;
}

function streamsRows({ batch }: RegisteredCommand): boolean {
  return batch === 'streams' || batch === 'returnsRows' || batch === 'returnsChanges';
}

/** Kinds of responses that a batch never omits for their length. */
const SHORT_REPLIES: ReadonlySet<string> = new Set(['boolean', 'null', 'long']);

/** A read can be repeated by itself if its response does not fit in that of the batch; a change needs a short one. */
function isBatched({ batch, rightsOn, access, reply, params }: RegisteredCommand): boolean {
  if (batch !== 'atomic' || rightsOn !== undefined) return false;
  const isByKey = Object.values(params).some(({ name }) => name === 'key');
  return isByKey && (access === 'read' || SHORT_REPLIES.has(reply.kind));
}

/** Returns the commands with a JSON request and an envelope. */
export function envelopeCommands(): readonly ClientCommand[] {
  return COMMANDS.filter((command) => !streamsRows(command)).map(clientCommand);
}

/**
 * Returns the same for languages whose methods have one result type: without the parameter that makes `getall` return a
 * list instead of an object.
 */
export function typedCommands(): readonly ClientCommand[] {
  return envelopeCommands().map((command) => {
    const parameters = command.parameters.filter(({ name }) => name !== ARRAY_FORM);
    if (parameters.length === command.parameters.length) return command;
    return { ...command, parameters, reply: { kind: 'map', of: { kind: 'json' } }, objects: [] };
  });
}

/** Returns the commands with a stream, whose methods are handwritten in each client. */
export function streamCommands(): readonly ClientCommand[] {
  return COMMANDS.filter(streamsRows).map(clientCommand);
}

function clientCommand(command: RegisteredCommand): ClientCommand {
  const { name, group, summary, access, cursor, batch, params, reply } = command;
  const isRead = access === 'read' && cursor === undefined && batch !== 'logsIn';
  const objects = new Objects();
  const title = schemaName(command);
  const wire = wireParameters(command, SERVICE_NAME);
  return {
    name,
    title,
    group: GROUPS[group],
    summary,
    parameters: wire
      .filter((each) => batch !== 'returnsBytes' || each.name !== 'stream')
      .map((each) => ({ ...clientParameter(each), isTextList: command.lists?.[each.name] !== undefined })),
    acceptsOthers: command.acceptsOthers === true,
    repeats: acceptsKey(command) ? 'keyed' : isRead ? 'any' : 'once',
    isPaged: Object.values(params).some((each) => each.name === pageSize.name),
    isBatched: isBatched(command),
    reply: objects.typeOf(reply.schema, `${title}Result`),
    objects: objects.found,
  };
}

function clientParameter({ name, numbered, kind, required, choices, summary, defaultText }: WireParameter) {
  const isPageSize = name === pageSize.name;
  return {
    name: numbered ? (LIST_OF_NUMBERED[name] ?? name) : name,
    kind,
    isList: numbered,
    required: required && !isPageSize,
    choices: choices ?? [],
    summary: isPageSize
      ? 'Maximum number of rows per page; 0 returns only the columns. Default of the client: 1,000.'
      : defaultText === undefined
        ? summary
        : `${summary} Default: ${defaultText}.`,
  };
}

/** Names the object types in a schema. */
class Objects {
  readonly found: ReplyObject[] = [];
  readonly #names = new Map<string, string>();

  typeOf(schema: JsonSchema, name: string): ReplyType {
    const { type, const: constant, enum: values } = schema;
    if (typeof constant === 'string' || typeof constant === 'boolean') return { kind: 'constant', value: constant };
    if (Array.isArray(values)) return { kind: 'choice', values: values.map(String) };
    if (type === undefined) return { kind: 'json' };
    const types = [type].flat().map((each) => this.#named(String(each), schema, name));
    const [first] = types;
    return first !== undefined && types.length === 1 ? first : { kind: 'union', of: types };
  }

  #named(type: string, schema: JsonSchema, name: string): ReplyType {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'null':
        return { kind: type };
      case 'integer':
        return { kind: schema.format === 'int64' ? 'long' : 'integer' };
      case 'array':
        return { kind: 'list', of: isSchema(schema.items) ? this.typeOf(schema.items, name) : { kind: 'json' } };
      case 'object':
        return this.#object(schema, name);
      default:
        throw new Error(`No client knows the type ${type}`);
    }
  }

  #object({ properties, required, additionalProperties }: JsonSchema, name: string): ReplyType {
    if (!isSchema(properties)) {
      const of: ReplyType = isSchema(additionalProperties) ? this.typeOf(additionalProperties, name) : { kind: 'json' };
      return { kind: 'map', of };
    }
    const text = JSON.stringify(properties);
    const known = this.#names.get(text);
    const isOpen = isSchema(additionalProperties);
    if (known !== undefined) return { kind: 'object', name: known, isOpen };
    this.#names.set(text, name);
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    const members = Object.entries(properties).map(([member, part]) => {
      const own = `${name}${member.charAt(0).toUpperCase()}${member.slice(1)}`;
      const type: ReplyType = isSchema(part) ? this.typeOf(part, own) : { kind: 'json' };
      return { name: member, required: names.includes(member), type };
    });
    this.found.push({ name, isOpen, members });
    return { kind: 'object', name, isOpen };
  }
}

function isSchema(part: JsonSchema[string] | undefined): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}
