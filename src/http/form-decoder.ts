/**
 * Decodes a form of any size from its bytes in linear time and memory, in steps of about a millisecond. With a filter,
 * it finds the parameters that identify the sender and decodes nothing else.
 */

import { fail } from '../base/errors.ts';
import { LONGEST_NAME_CHARACTERS } from '../base/limits.ts';
import { type SlicedWork, STEP_CHARACTERS } from '../base/slices.ts';
import { TextCollector } from './body-text.ts';
import { brokenCode, hexDigit } from './parameters.ts';

/** Collects parameters. The first value of a name counts. */
export interface ParameterSink {
  readonly into: Map<string, string>;
  /** Maximum number of parameters, including those read before. */
  readonly limit: number;
  readonly alreadyRead: number;
  /** If present, only these names are decoded, and values of more than `longest` bytes are skipped. */
  readonly only?: { readonly names: ReadonlySet<string>; readonly longest: number };
  /** Returns the parameter of a command whose value is the source of a JSON array. */
  readonly arrayParameter?: ((cmd: string) => string | undefined) | undefined;
  /** The command that the path names; a parameter `cmd` must name the same. */
  readonly command?: string | undefined;
}

/** Throws COMMAND_CONFLICT if the path names a command and `cmd` another one. Names match in any letter case. */
export function checkCommand(command: string | undefined, cmd: string): void {
  if (command !== undefined && command.toLowerCase() !== cmd.toLowerCase()) {
    throw fail('COMMAND_CONFLICT', command, cmd);
  }
}

const AMPERSAND = 38;
const PLUS = 43;
const PERCENT = 37;
const EQUALS = 61;
const BLANK = 32;
/** Pairs of one step, which takes a fraction of a slice. */
const STEP_PAIRS = 256;

export class FormDecoder implements SlicedWork {
  readonly #bytes: Uint8Array;
  readonly #sink: ParameterSink;
  readonly #text: TextCollector;
  #at = 0;
  /** Start of the current pair. */
  #start = 0;
  #pairs: number;
  /** Name of the current pair; undefined while it is being read. */
  #name: string | undefined;
  /** Whether the current pair is skipped: its name is too long or not wanted. */
  #skips = false;

  /** `charset` is in lower case; bytes below 128 that start a character must be ASCII in it. */
  constructor(bytes: Uint8Array, charset: string, sink: ParameterSink) {
    this.#bytes = bytes;
    this.#sink = sink;
    this.#pairs = sink.alreadyRead;
    this.#text = new TextCollector(charset, bytes.length);
  }

  /** Throws REQUEST_MALFORMED, LIMIT_EXCEEDED, COMMAND_CONFLICT. */
  step(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, this.#at + STEP_CHARACTERS);
    const lastPair = this.#pairs + STEP_PAIRS;
    while (this.#at < end && this.#pairs < lastPair) {
      if (this.#skips) this.#skip();
      else this.#takePart(end);
    }
    if (this.#at < bytes.length) return true;
    this.#endPair();
    return false;
  }

  #skip(): void {
    const found = this.#bytes.indexOf(AMPERSAND, this.#at);
    this.#at = found < 0 ? this.#bytes.length : found;
    if (found >= 0) this.#nextPair();
  }

  /** Decodes up to the end of the name or value, or to index `end`. */
  #takePart(end: number): void {
    const bytes = this.#bytes;
    const text = this.#text;
    while (this.#at < end) {
      const byte = bytes[this.#at] ?? 0;
      if (byte === AMPERSAND) {
        this.#nextPair();
        return;
      }
      this.#at++;
      if (byte === EQUALS && this.#name === undefined) {
        this.#endName();
        return;
      }
      if (byte === PERCENT) text.add(this.#code());
      else text.add(byte === PLUS ? BLANK : byte);
      if (this.#name === undefined ? this.#nameIsTooLong() : this.#valueIsTooLong()) {
        this.#skipRest();
        return;
      }
    }
  }

  /** Returns the byte of the percent code whose digits are next. */
  #code(): number {
    const high = hexDigit(this.#bytes[this.#at] ?? 0);
    const low = hexDigit(this.#bytes[this.#at + 1] ?? 0);
    if (high < 0 || low < 0) throw brokenCode();
    this.#at += 2;
    return high * 16 + low;
  }

  #nameIsTooLong(): boolean {
    return this.#at - this.#start > LONGEST_NAME_CHARACTERS;
  }

  #valueIsTooLong(): boolean {
    const { only } = this.#sink;
    return only !== undefined && this.#text.pendingBytes > only.longest;
  }

  #skipRest(): void {
    this.#text.drop();
    this.#skips = true;
  }

  #endName(): void {
    this.#name = this.#text.end();
    if (this.#sink.only?.names.has(this.#name) === false) this.#skips = true;
  }

  #nextPair(): void {
    this.#endPair();
    this.#start = ++this.#at;
    this.#name = undefined;
    this.#skips = false;
  }

  #endPair(): void {
    if (this.#at === this.#start) return;
    const { into, limit, only, command } = this.#sink;
    if (++this.#pairs > limit) throw fail('LIMIT_EXCEEDED', 'parameters', limit, this.#pairs);
    if (this.#skips) return;
    const last = this.#text.end();
    const name = this.#name ?? last;
    if (only?.names.has(name) === false) return;
    const value = this.#name === undefined ? '' : last;
    if (name === 'cmd') checkCommand(command, value);
    if (!into.has(name)) into.set(name, value);
  }
}
