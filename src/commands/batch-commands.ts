/** Parses the commands of a batch: a JSON array of objects, each of which is a request like the body of one. */
import { fail, GridError } from '../base/errors.ts';
import {
  numberType,
  stemOfList,
  typeParameterOf,
  typeParameterOfElement,
  untypedReason,
} from '../base/json-parameters.ts';
import { JSON_BOUNDS, type Limits, LONGEST_NAME_CHARACTERS, PARAMETER_COMPARISONS } from '../base/limits.ts';
import { misspeltName, prepareName } from '../base/nearest.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJsonItems } from '../values/json.ts';

/** Members of a command in an atomic batch that are not parameters of the command. */
export interface BatchCommandOptions {
  /** Whether the response false rolls the batch back; undefined: as the command declares. */
  readonly abortOnFalse: boolean | undefined;
  /** The number of rows that a statement must change or return; otherwise the batch is rolled back. */
  readonly expectedRows: bigint | undefined;
}

/** A command of a batch, before anything about it has been checked. */
export interface BatchCommand {
  readonly cmd: string | undefined;
  readonly params: ReadonlyMap<string, string>;
  readonly options: BatchCommandOptions;
  /** What the command is rejected with, because its members cannot be parameters. */
  readonly failure: GridError | undefined;
}

/**
 * Parses the commands in steps of a fraction of a millisecond. Throws REQUEST_MALFORMED for a text that is not a JSON
 * array of objects, and LIMIT_EXCEEDED, also for the parameters of all commands together.
 */
export function* parseBatch(text: string, limits: Limits): Generator<undefined, readonly BatchCommand[]> {
  const { batchCommands, batchCharacters, parametersPerRequest } = limits;
  if (text.length > batchCharacters) throw fail('LIMIT_EXCEEDED', 'batch characters', batchCharacters, text.length);
  const read: BatchCommand[] = [];
  let parameters = 0;
  try {
    for (const item of readJsonItems(text, JSON_BOUNDS.values)) {
      yield;
      if (item === undefined) continue;
      const count = read.length + 1;
      if (count > batchCommands) throw fail('LIMIT_EXCEEDED', 'batch commands', batchCommands, count);
      if (item.kind !== 'object') throw malformed(`command ${count} must be an object`);
      const command = readCommand(item.members, text, limits);
      read.push(command);
      parameters += command.params.size;
      if (parameters > parametersPerRequest) {
        throw fail('LIMIT_EXCEEDED', 'parameters of a batch', parametersPerRequest, parameters);
      }
    }
  } catch (error) {
    throw error instanceof ConversionFailure ? malformed(`commands: ${error.reason}`) : error;
  }
  return read;
}

function readCommand(members: ReadonlyMap<string, JsonNode>, text: string, limits: Limits): BatchCommand {
  const cmd = members.get('cmd');
  const reader = new MemberReader(text, limits.parametersPerRequest);
  let options = NO_OPTIONS;
  let failure: GridError | undefined;
  try {
    options = readOptions(members);
    reader.readAll(members);
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    failure = error;
  }
  return { cmd: cmd?.kind === 'string' ? cmd.value : undefined, params: reader.params, options, failure };
}

const NO_OPTIONS: BatchCommandOptions = { abortOnFalse: undefined, expectedRows: undefined };
/** The names of the options. */
export const BATCH_OPTIONS: ReadonlySet<string> = new Set(Object.keys(NO_OPTIONS));
const PREPARED_NAMES = [...BATCH_OPTIONS].map(prepareName);

/** Reads the options of a command. Throws PARAMETER_UNKNOWN for a misspelt one: the condition would be ignored. */
function readOptions(members: ReadonlyMap<string, JsonNode>): BatchCommandOptions {
  let options = NO_OPTIONS;
  const budget = { left: PARAMETER_COMPARISONS };
  for (const [name, node] of members) {
    if (name === 'abortOnFalse') options = { ...options, abortOnFalse: booleanOf(name, node) };
    else if (name === 'expectedRows') options = { ...options, expectedRows: countOf(name, node) };
    else if (name.length <= LONGEST_NAME_CHARACTERS) {
      const meant = misspeltName(prepareName(name), PREPARED_NAMES, budget);
      if (meant !== undefined) throw fail('PARAMETER_UNKNOWN', name, meant);
    }
  }
  return options;
}

function booleanOf(name: string, node: JsonNode): boolean | undefined {
  if (node.kind === 'null') return undefined;
  const text = node.kind === 'boolean' ? String(node.value) : node.kind === 'string' ? node.value.toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw fail('NOT_A_BOOLEAN', name, text);
  return text === 'true';
}

function countOf(name: string, node: JsonNode): bigint | undefined {
  if (node.kind === 'null') return undefined;
  const text = node.kind === 'number' ? node.text : node.kind === 'string' ? node.value : '';
  if (!/^\d{1,18}$/.test(text)) throw fail('NOT_A_LONG', name, text);
  return BigInt(text);
}

/** Reads the members of one object, by the rules of a JSON body. */
class MemberReader {
  readonly params = new Map<string, string>();
  readonly #text: string;
  readonly #limit: number;

  constructor(text: string, limit: number) {
    this.#text = text;
    this.#limit = limit;
  }

  readAll(members: ReadonlyMap<string, JsonNode>): void {
    const structured: Array<readonly [name: string, typedBy: string | undefined]> = [];
    const lists: Array<readonly [stem: string, name: string, node: JsonNode]> = [];
    for (const [name, node] of members) {
      if (BATCH_OPTIONS.has(name)) continue;
      const stem = node.kind === 'string' ? undefined : stemOfList(name);
      if (stem !== undefined) lists.push([stem, name, node]);
      else if (this.#set(name, node)) structured.push([name, typeParameterOf(name)]);
    }
    for (const [stem, list, node] of lists) {
      if (node.kind === 'null') continue;
      if (node.kind !== 'array') throw malformed(`${list} must be an array`);
      for (const [index, item] of node.items.entries()) {
        const name = `${stem}${index + 1}`;
        if (stem === 'arg') this.#setArgumentType(name, item);
        else if (item.kind === 'null') throw malformed(`${list} must not hold null (element ${index})`);
        if (this.#set(name, item)) structured.push([name, typeParameterOfElement(stem, name)]);
      }
    }
    for (const [name, typedBy] of structured) {
      const reason = untypedReason(name, typedBy, typedBy && this.params.get(typedBy));
      if (reason !== undefined) throw fail('REQUEST_MALFORMED', reason, typedBy);
    }
  }

  /** Sets a parameter, unless it is null or has a value. Returns whether its value is an object or array. */
  #set(name: string, node: JsonNode): boolean {
    if (node.kind === 'null' || this.params.has(name)) return false;
    this.#add(name, textOf(node, this.#text));
    return node.kind === 'object' || node.kind === 'array';
  }

  /** Sets the type that the value of an argument implies, unless the command declares it. */
  #setArgumentType(name: string, node: JsonNode): void {
    const type = `${name}Type`;
    if (this.params.has(type) || this.params.has(name)) return;
    if (node.kind === 'null') this.#add(type, 'null');
    else if (node.kind === 'number') this.#add(type, numberType(node.text));
    else if (node.kind === 'boolean') this.#add(type, 'boolean');
  }

  #add(name: string, value: string): void {
    if (this.params.size === this.#limit) throw fail('LIMIT_EXCEEDED', 'parameters', this.#limit, this.#limit + 1);
    this.params.set(name, value);
  }
}

/** Returns the text of a parameter; objects and arrays as they are in the source. */
function textOf(node: JsonNode, source: string): string {
  switch (node.kind) {
    case 'null':
      return '';
    case 'boolean':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.value;
    case 'array':
    case 'object':
      return source.slice(node.start, node.end);
  }
}

function malformed(reason: string): GridError {
  return fail('REQUEST_MALFORMED', reason);
}
