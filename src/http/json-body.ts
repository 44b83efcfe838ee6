/**
 * Reads a JSON object as a request body: each member is a parameter. A number keeps its source text, so no digit is
 * lost. null means absent. `keys`, `values`, `args` and `params` are the numbered parameters k, v, arg and p. A command
 * may have a parameter whose value is the source of an array, which is a member or the whole body, and lists that are
 * arrays of strings.
 */
import { gridError } from '../base/errors.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readFiltered } from '../values/json.ts';
import { MemberReader, sourceOf, stemOfList } from '../values/json-parameters.ts';
import { checkCommand, malformed, type ParameterSink } from './parameters.ts';

/** Maximum number of bytes decoded in one step. */
const STEP_BYTES = 128 * 1_024;

/**
 * Adds the members to the sink in steps; existing names keep their values. Throws REQUEST_MALFORMED, LIMIT_EXCEEDED,
 * COMMAND_CONFLICT.
 */
export function* readJsonBody(bytes: Uint8Array, sink: ParameterSink): Generator<undefined, void> {
  const { into, limit, command, types } = sink;
  const text = yield* decode(bytes);
  if (!/[^ \n\r\t]/.test(text)) return;
  const root = yield* parse(text, limit);
  if (root.kind === 'object') {
    const cmd = root.members.get('cmd');
    if (cmd !== undefined && command !== undefined) checkCommand(command, sourceOf(cmd, text));
    new MemberReader(into, text, limit, types).readAll(root.members, sink.findStructured);
    return;
  }
  const name = root.kind === 'array' ? sink.findStructured?.(into)?.json : undefined;
  if (root.kind !== 'array' || name === undefined) throw gridError('BODY_NOT_AN_OBJECT');
  if (!into.has(name)) into.set(name, text.slice(root.start));
}

function* decode(bytes: Uint8Array): Generator<undefined, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      text += decoder.decode(bytes.subarray(at, at + STEP_BYTES), { stream: true });
      yield;
    }
    return text + decoder.decode();
  } catch {
    throw malformed('the JSON body is not valid UTF-8');
  }
}

function* parse(text: string, limit: number): Generator<undefined, JsonNode> {
  const filter = {
    keepsItems: (name: string) => stemOfList(name) !== undefined,
    holds(count: number): void {
      if (count > limit) throw gridError('LIMIT_EXCEEDED', 'parameters', limit, count, 'parametersPerRequest');
    },
  };
  try {
    return yield* readFiltered(text, filter);
  } catch (error) {
    throw error instanceof ConversionFailure ? malformed(error.reason) : error;
  }
}
