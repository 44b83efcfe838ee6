/** Reads structured parts of the configuration: every refusal names the place, and what would be right. */
import { nearestNames } from '../base/nearest.ts';
import { ConfigurationError } from './option.ts';

/** A member of an object that has not been looked at, with its place (`caches[0].name`). */
export class Node {
  readonly value: unknown;
  readonly place: string;

  constructor(value: unknown, place: string) {
    this.value = value;
    this.place = place;
  }

  /** A member of this node. */
  child(value: unknown, name: string): Node {
    return new Node(value, memberPlace(this.place, name));
  }

  wrong(wanted: string): ConfigurationError {
    return new ConfigurationError(`${this.place}: must be ${wanted}, not ${show(this.value)}`);
  }

  text(): string {
    if (typeof this.value !== 'string' || this.value === '') throw this.wrong('a text that is not empty');
    return this.value;
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

  /** The members of an object by name. */
  record(): ReadonlyArray<readonly [name: string, member: Node]> {
    if (!isPlainObject(this.value)) throw this.wrong('an object');
    return Object.entries(this.value).map(([name, value]) => [name, new Node(value, memberPlace(this.place, name))]);
  }

  /** The members of an object that can have these and no others. */
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

/** The member, which must be there. */
export function required(member: Node | undefined, owner: Node, name: string): Node {
  if (member === undefined) throw new ConfigurationError(`${memberPlace(owner.place, name)}: is missing`);
  return member;
}

export function memberPlace(place: string, name: string): string {
  const plain = /^[A-Za-z_$][\w$-]*$/.test(name);
  return place === '' ? name : plain ? `${place}.${name}` : `${place}[${JSON.stringify(name)}]`;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The refusal of a name that is not among `names`, with the nearest of them. */
export function unknownKey(place: string, name: string, names: readonly string[]): ConfigurationError {
  const near = nearestNames(name, names);
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : `, there are ${names.join(', ')}`;
  return new ConfigurationError(`${place}: unknown${hint}`);
}

/** How a wrong value reads in a refusal. */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const json = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return json.length > 80 ? `${json.slice(0, 80)}...` : json;
}
