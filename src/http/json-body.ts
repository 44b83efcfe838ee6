/**
 * Reads a JSON object as a request body: each member is a parameter. A number keeps its source text, so no digit is
 * lost. null means absent. `keys`, `values`, `args` and `params` are the numbered parameters k, v, arg and p. A command
 * may have a parameter that is the source of an array, which is a member or the whole body.
 */
import { fail } from '../base/errors.ts';
import {
  numberType,
  stemOfList,
  typeParameterOf,
  typeParameterOfElement,
  untypedReason,
} from '../base/json-parameters.ts';
import type { SlicedWork } from '../base/slices.ts';
import { checkCommand, type ParameterSink } from './form-decoder.ts';
import { JsonScanner, ScanFailure, type ScannedValue, type ScanReceiver } from './json-scanner.ts';
import { JsonText, TextPosition } from './json-text.ts';
import { malformed } from './parameters.ts';

/** Bytes of one step of the checks, which takes a fraction of a slice (src/base/slices.ts). */
const CHECKED_BYTES = 128 * 1_024;
const NO_OBJECT = 'the JSON body must be an object';
/** Members and elements of one step. */
const BUILT_AT_ONCE = 128;

/** Adds the members to the sink, in which a name that is present keeps its value. */
export class JsonBody implements SlicedWork {
  readonly #steps: Generator<undefined, void>;

  constructor(bytes: Uint8Array, sink: ParameterSink) {
    this.#steps = readInSteps(bytes, sink);
  }

  /** Throws REQUEST_MALFORMED, LIMIT_EXCEEDED, COMMAND_CONFLICT. */
  step(): boolean {
    return this.#steps.next().done !== true;
  }
}

function* readInSteps(bytes: Uint8Array, sink: ParameterSink): Generator<undefined, void> {
  yield* checkUtf8(bytes);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const from = yield* firstNoBlank(bytes, start);
  if (from === bytes.length) return;
  const members = new Members(bytes, sink);
  const scanner = new JsonScanner(bytes, from, members);
  try {
    while (scanner.step()) yield;
  } catch (error) {
    if (!(error instanceof ScanFailure)) throw error;
    throw malformed(yield* describe(error, bytes, start));
  }
  const builder = new ParameterBuilder(bytes, sink);
  if (scanner.root === 'array') yield* builder.buildArray({ kind: 'array', start: from, end: bytes.length });
  else if (scanner.root === 'object') yield* builder.build(members);
  else throw malformed(NO_OBJECT);
}

function* checkUtf8(bytes: Uint8Array): Generator<undefined, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += CHECKED_BYTES) {
      decoder.decode(bytes.subarray(at, at + CHECKED_BYTES), { stream: true });
      yield;
    }
    decoder.decode();
  } catch {
    throw malformed('the JSON body is not valid UTF-8');
  }
}

function* firstNoBlank(bytes: Uint8Array, start: number): Generator<undefined, number> {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return at;
    if (at % CHECKED_BYTES === 0) yield;
  }
  return bytes.length;
}

function* describe(failure: ScanFailure, bytes: Uint8Array, start: number): Generator<undefined, string> {
  const position = new TextPosition(bytes, start, failure.at);
  while (position.step()) yield;
  const { character, line, column } = position;
  let { message } = failure;
  if (failure.wanted) {
    const found = character === '' ? 'end of the text' : `character ('${character}' (code ${character.charCodeAt(0)}))`;
    message = `Unexpected ${found}: was expecting ${message}`;
  }
  return `JsonParseException: ${message} at line ${line}, column ${column}`;
}

/** The members that a scanner found. For duplicate names the last value counts, in the position of the first. */
class Members implements ScanReceiver {
  readonly #bytes: Uint8Array;
  readonly #sink: ParameterSink;
  readonly values = new Map<string, ScannedValue>();
  /** The elements of members that are numbered parameters. */
  readonly elements = new Map<string, readonly ScannedValue[]>();
  /** Name of the current member; undefined if it is skipped. */
  #name: string | undefined;
  #elements: ScannedValue[] = [];
  /** The number of null values. */
  #nulls = 0;

  constructor(bytes: Uint8Array, sink: ParameterSink) {
    this.#bytes = bytes;
    this.#sink = sink;
  }

  name(start: number, end: number, escaped: boolean): boolean {
    const { only } = this.#sink;
    const name = stringAt(this.#bytes, { kind: 'string', start, end, escaped });
    this.#name = only === undefined || only.names.has(name) ? name : undefined;
    this.#elements = [];
    return only === undefined && stemOfList(name) !== undefined;
  }

  longName(): void {
    this.#name = undefined;
    this.#elements = [];
  }

  element(value: ScannedValue): void {
    this.#elements.push(value);
    this.#check(this.#elements.length);
  }

  member(value: ScannedValue): void {
    const name = this.#name;
    if (name === undefined) return;
    const former = this.values.get(name);
    if (value.kind === 'null') {
      // A null member is absent and does not count, so members beyond the limit are not even recorded.
      if (former === undefined && this.#nulls === this.#sink.limit) return;
      if (former?.kind !== 'null') this.#nulls++;
    } else if (former?.kind === 'null') this.#nulls--;
    this.values.set(name, value);
    if (this.#elements.length > 0) this.elements.set(name, this.#elements);
    else this.elements.delete(name);
    this.#elements = [];
    this.#check(this.values.size - this.#nulls);
  }

  #check(count: number): void {
    const { limit } = this.#sink;
    if (count > limit) throw fail('LIMIT_EXCEEDED', 'parameters', limit, count);
  }
}

class ParameterBuilder {
  readonly #bytes: Uint8Array;
  readonly #sink: ParameterSink;
  #count: number;
  /** Parameters that are objects or arrays, with the parameter that must name their type. */
  readonly #structured: Array<readonly [name: string, typedBy: string | undefined]> = [];

  constructor(bytes: Uint8Array, sink: ParameterSink) {
    this.#bytes = bytes;
    this.#sink = sink;
    this.#count = sink.alreadyRead;
  }

  *build({ values, elements }: Members): Generator<undefined, void> {
    const lists: Array<readonly [stem: string, name: string, value: ScannedValue]> = [];
    let built = 0;
    for (const [name, value] of values) {
      const stem = value.kind === 'string' ? undefined : stemOfList(name);
      if (stem !== undefined) lists.push([stem, name, value]);
      else if (value.kind !== 'null') yield* this.#member(name, value);
      if (++built % BUILT_AT_ONCE === 0) yield;
    }
    for (const [stem, name, { kind }] of lists) {
      if (kind === 'null') continue;
      if (kind !== 'array') throw malformed(`${name} must be an array`);
      for (const [index, element] of (elements.get(name) ?? []).entries()) {
        yield* this.#element(stem, name, index, element);
        if (++built % BUILT_AT_ONCE === 0) yield;
      }
    }
    if (this.#sink.only === undefined) this.#checkTypes();
  }

  /** Adds an array that is the whole body. Its command must be in the query string. */
  *buildArray(range: Pick<ScannedValue, 'kind' | 'start' | 'end'>): Generator<undefined, void> {
    if (this.#sink.only !== undefined) return;
    const name = this.#arrayParameter();
    if (name === undefined) throw malformed(NO_OBJECT);
    yield* this.#set(name, { ...range, escaped: false });
  }

  /** Returns the parameter of the command that is the source of an array. */
  #arrayParameter(): string | undefined {
    const { into, arrayParameter } = this.#sink;
    return arrayParameter?.(into.get('cmd') ?? '');
  }

  *#member(name: string, value: ScannedValue): Generator<undefined, void> {
    if ((yield* this.#set(name, value)) && isStructured(value)) {
      this.#structured.push([name, typeParameterOf(name)]);
    }
  }

  *#element(stem: string, listName: string, index: number, value: ScannedValue): Generator<undefined, void> {
    const name = `${stem}${index + 1}`;
    if (stem === 'arg') yield* this.#argument(name, value);
    else if (value.kind === 'null') throw malformed(`${listName} must not hold null (element ${index})`);
    else if ((yield* this.#set(name, value)) && isStructured(value)) {
      this.#structured.push([name, typeParameterOfElement(stem, name)]);
    }
  }

  /** Adds an argument of a statement. A value other than a string implies its type, unless the request declares it. */
  *#argument(name: string, value: ScannedValue): Generator<undefined, void> {
    const { into } = this.#sink;
    const type = `${name}Type`;
    if (value.kind === 'null') {
      if (!into.has(name) && this.#claim(type)) into.set(type, 'null');
      return;
    }
    if (!(yield* this.#set(name, value))) return;
    if (isStructured(value)) this.#structured.push([name, type]);
    else if (value.kind !== 'string' && !into.has(type)) {
      into.set(type, value.kind === 'number' ? numberType(into.get(name) ?? '') : 'boolean');
    }
  }

  /** Rejects an object or array without a declared type, which would otherwise be stored as a string. */
  #checkTypes(): void {
    if (this.#structured.length === 0) return;
    const array = this.#arrayParameter();
    for (const [name, typedBy] of this.#structured) {
      if (name === array) continue;
      const reason = untypedReason(name, typedBy, typedBy && this.#sink.into.get(typedBy));
      if (reason !== undefined) throw fail('REQUEST_MALFORMED', reason, typedBy);
    }
  }

  /** Counts a parameter. Returns false if its name has a value. */
  #claim(name: string): boolean {
    const { into, limit } = this.#sink;
    if (++this.#count > limit) throw fail('LIMIT_EXCEEDED', 'parameters', limit, this.#count);
    return !into.has(name);
  }

  *#set(name: string, value: ScannedValue): Generator<undefined, boolean> {
    const { into, only, command } = this.#sink;
    const isNew = this.#claim(name);
    if (!isNew && (name !== 'cmd' || command === undefined)) return false;
    if (only !== undefined && (isStructured(value) || value.end - value.start > only.longest)) return false;
    const text = value.end === value.start ? '' : yield* this.#text(value);
    if (isNew) into.set(name, text);
    else checkCommand(command, text);
    return isNew;
  }

  *#text(value: ScannedValue): Generator<undefined, string> {
    const reader = new JsonText(this.#bytes, value);
    while (reader.step()) yield;
    return reader.text;
  }
}

function isStructured({ kind }: ScannedValue): boolean {
  return kind === 'object' || kind === 'array';
}

/** Returns the value of a short string. */
function stringAt(bytes: Uint8Array, value: ScannedValue): string {
  const reader = new JsonText(bytes, value);
  while (reader.step());
  return reader.text;
}
