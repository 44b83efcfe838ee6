/** Parses the commands of a batch: a JSON array of objects. Each object is a request, like a body with one command. */
import { GridError, gridError } from '../base/errors.ts';
import { JSON_BOUNDS, type Limits, MAX_NAME_CHARACTERS, PARAMETER_COMPARISONS } from '../base/limits.ts';
import { misspeltName, prepareName } from '../base/nearest.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJsonItems } from '../values/json.ts';
import { type FindStructured, type JsonTypes, MemberReader } from '../values/json-parameters.ts';

/** Members of a command in an atomic batch that are not parameters of the command. */
export interface BatchCommandOptions {
  /** Whether the response false rolls the batch back; as the command declares if undefined. */
  readonly abortOnFalse: boolean | undefined;
  /** The number of rows that a statement must change or return; otherwise the batch is rolled back. */
  readonly expectedRows: bigint | undefined;
}

/** A command of a batch, before any checks. */
export interface BatchCommand {
  readonly cmd: string | undefined;
  readonly params: ReadonlyMap<string, string>;
  /** The types of its keys and values, as its JSON implies them. */
  readonly types: JsonTypes;
  readonly options: BatchCommandOptions;
  /** The error that the command is rejected with because its members cannot be parameters. */
  readonly failure: GridError | undefined;
}

/**
 * Parses the commands in steps of a fraction of a millisecond. Throws REQUEST_MALFORMED unless the text is a JSON array
 * of objects, and LIMIT_EXCEEDED, which also covers the parameters of all commands together. With `isTyped`, the JSON
 * types of keys and values count.
 */
export function* parseBatch(
  text: string,
  limits: Limits,
  isTyped = false,
  findStructured?: FindStructured,
): Generator<undefined, readonly BatchCommand[]> {
  const { batchCommands, batchCharacters, parametersPerRequest } = limits;
  if (text.length > batchCharacters)
    throw gridError('LIMIT_EXCEEDED', 'batch characters', batchCharacters, text.length, 'batchCharacters');
  const read: BatchCommand[] = [];
  let parameters = 0;
  try {
    for (const item of readJsonItems(text, JSON_BOUNDS.values)) {
      yield;
      if (item === undefined) continue;
      const count = read.length + 1;
      if (count > batchCommands)
        throw gridError('LIMIT_EXCEEDED', 'batch commands', batchCommands, count, 'batchCommands');
      if (item.kind !== 'object') throw malformed(`command ${count} must be an object`);
      const command = readCommand(item.members, text, limits, isTyped, findStructured);
      read.push(command);
      parameters += command.params.size;
      if (parameters > parametersPerRequest) {
        throw gridError(
          'LIMIT_EXCEEDED',
          'parameters of a batch',
          parametersPerRequest,
          parameters,
          'parametersPerRequest',
        );
      }
    }
  } catch (error) {
    throw error instanceof ConversionFailure ? malformed(`commands: ${error.reason}`) : error;
  }
  return read;
}

function readCommand(
  members: ReadonlyMap<string, JsonNode>,
  text: string,
  limits: Limits,
  isTyped: boolean,
  findStructured: FindStructured | undefined,
): BatchCommand {
  const cmd = members.get('cmd');
  const params = new Map<string, string>();
  const types = isTyped ? new Map<string, string>() : undefined;
  let options = NO_OPTIONS;
  let failure: GridError | undefined;
  try {
    options = readOptions(members);
    const parameters = [...members].filter(([name]) => !BATCH_OPTIONS.has(name));
    new MemberReader(params, text, limits.parametersPerRequest, types).readAll(parameters, findStructured);
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    failure = error;
  }
  return { cmd: cmd?.kind === 'string' ? cmd.value : undefined, params, types: types ?? NO_TYPES, options, failure };
}

const NO_TYPES: JsonTypes = new Map();
const NO_OPTIONS: BatchCommandOptions = { abortOnFalse: undefined, expectedRows: undefined };
/** The names of the options. */
export const BATCH_OPTIONS: ReadonlySet<string> = new Set(Object.keys(NO_OPTIONS));
const PREPARED_NAMES = [...BATCH_OPTIONS].map(prepareName);

/** Reads a command's options. Throws PARAMETER_UNKNOWN for a misspelt one: otherwise the condition would be ignored. */
function readOptions(members: ReadonlyMap<string, JsonNode>): BatchCommandOptions {
  let options = NO_OPTIONS;
  const budget = { left: PARAMETER_COMPARISONS };
  for (const [name, node] of members) {
    if (name === 'abortOnFalse') options = { ...options, abortOnFalse: booleanOf(name, node) };
    else if (name === 'expectedRows') options = { ...options, expectedRows: countOf(name, node) };
    else if (name.length <= MAX_NAME_CHARACTERS) {
      const meant = misspeltName(prepareName(name), PREPARED_NAMES, budget);
      if (meant !== undefined) throw gridError('PARAMETER_UNKNOWN', name, meant);
    }
  }
  return options;
}

function booleanOf(name: string, node: JsonNode): boolean | undefined {
  if (node.kind === 'null') return undefined;
  const text = node.kind === 'boolean' ? String(node.value) : node.kind === 'string' ? node.value.toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw gridError('NOT_A_BOOLEAN', name, text);
  return text === 'true';
}

function countOf(name: string, node: JsonNode): bigint | undefined {
  if (node.kind === 'null') return undefined;
  const text = node.kind === 'number' ? node.text : node.kind === 'string' ? node.value : '';
  if (!/^\d{1,18}$/.test(text)) throw gridError('NOT_A_LONG', name, text);
  return BigInt(text);
}

function malformed(reason: string): GridError {
  return gridError('REQUEST_MALFORMED', reason);
}
