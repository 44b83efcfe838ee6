/** Reads structured parts of a configuration file. Every error names the location and the allowed values. */
import { nearestNames } from '../base/nearest.ts';
import { ConfigurationError } from './option.ts';

/** An unchecked value with its location in the file (`caches[0].name`). */
export class Node {
  readonly value: unknown;
  readonly place: string;

  constructor(value: unknown, place: string) {
    this.value = value;
    this.place = place;
  }

  /** Returns a member of this node. */
  child(value: unknown, name: string): Node {
    return new Node(value, memberPlace(this.place, name));
  }

  wrong(wanted: string): ConfigurationError {
    return new ConfigurationError(`${this.place}: must be ${wanted}, not ${show(this.value)}`);
  }

  text(): string {
    if (typeof this.value !== 'string' || this.value === '') throw this.wrong('a non-empty string');
    return this.value;
  }

  /** Returns a string that no error may show. */
  secret(): string {
    if (typeof this.value === 'string' && this.value !== '') return this.value;
    throw new ConfigurationError(`${this.place}: must be a non-empty string, not the given value`);
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.wrong('true or false');
    return this.value;
  }

  wholeNumber(least = 0): number {
    if (typeof this.value !== 'number' || !Number.isSafeInteger(this.value) || this.value < least) {
      throw this.wrong(`a whole number of ${least} or more`);
    }
    return this.value;
  }

  choice<const W extends string>(words: readonly W[]): W {
    const found = words.find((word) => word === this.value);
    if (found === undefined) throw this.wrong(`one of ${words.join(', ')}`);
    return found;
  }

  array(): readonly Node[] {
    if (!Array.isArray(this.value)) throw this.wrong('an array');
    return this.value.map((each: unknown, index) => new Node(each, `${this.place}[${index}]`));
  }

  texts(): readonly string[] {
    return this.array().map((each) => each.text());
  }

  /** Returns the members of an object by name. */
  record(): ReadonlyArray<readonly [name: string, member: Node]> {
    if (!isPlainObject(this.value)) throw this.wrong('an object');
    return Object.entries(this.value).map(([name, value]) => [name, new Node(value, memberPlace(this.place, name))]);
  }

  /** Returns the members of an object; throws ConfigurationError for a member that is not in `names`. */
  members<const N extends string>(names: readonly N[]): { readonly [M in N]?: Node } {
    const found: { [M in N]?: Node } = {};
    for (const [name, member] of this.record()) {
      const known = names.find((each) => each === name);
      if (known === undefined) throw unknownKey(member.place, name, names);
      if (member.value !== undefined) found[known] = member;
    }
    return found;
  }
}

/** Reads a part of the file. Throws ConfigurationError. */
export type Reader<T> = (node: Node) => T;
type Readers<T> = { readonly [M in keyof T]: Reader<T[M]> };

export const unread: Reader<Node> = (each) => each;
export const text: Reader<string> = (each) => each.text();
export const texts: Reader<readonly string[]> = (each) => each.texts();
export const boolean: Reader<boolean> = (each) => each.boolean();
export const wholeNumber: Reader<number> = (each) => each.wholeNumber();

export function choice<const W extends string>(words: readonly W[]): Reader<W> {
  return (each) => each.choice(words);
}

export function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (each) => each.array().map(reader);
}

export function recordOf<T>(reader: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (each) => Object.fromEntries(each.record().map(([name, member]) => [name, reader(member)]));
}

/** Returns a reader for an object. It has the members in `needed`, which are required, and those in `others`. */
export function objectOf<N extends object, O extends object>(
  needed: Readers<N>,
  others: Readers<O>,
): Reader<N & Partial<O>> {
  const readers = Object.entries<Reader<unknown>>({ ...needed, ...others });
  return (owner) => {
    const members = owner.members(readers.map(([name]) => name));
    const read = readers.flatMap(([name, reader]) => {
      const member = members[name];
      if (member !== undefined) return [[name, reader(member)]];
      if (!Object.hasOwn(needed, name)) return [];
      throw new ConfigurationError(`${memberPlace(owner.place, name)}: is missing`);
    });
    return Object.fromEntries(read);
  };
}

export function memberPlace(place: string, name: string): string {
  const plain = /^[A-Za-z_$][\w$-]*$/.test(name);
  return place === '' ? name : plain ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum number of names that an error lists; the environment has 150. */
const LISTED_NAMES = 40;
/** Maximum number of options with the same name in other places that an error suggests. */
const MAX_OTHERS = 3;

/** Creates the error for a name that is not in `names`; it suggests the nearest, or else one of `others`. */
export function unknownKey(
  place: string,
  name: string,
  names: readonly string[],
  others: readonly string[] = [],
): ConfigurationError {
  const nearest = nearestNames(name, names);
  const near = nearest.length > 0 ? nearest : others.slice(0, MAX_OTHERS);
  if (near.length > 0) return new ConfigurationError(`${place}: unknown, did you mean ${near.join(', ')}?`);
  const known = names.length > LISTED_NAMES ? 'see svc help serve' : `expected one of ${names.join(', ')}`;
  return new ConfigurationError(`${place}: unknown, ${known}`);
}

/** Formats an invalid value for an error message. */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const json = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return json.length > 80 ? `${json.slice(0, 80)}...` : json;
}
