import type { RequestCompatibility } from '../base/compatibility.ts';

/** The scalar types of docs/spec/contract.md 2.2, and those that Ignite's clients name by their Java class. */
export type ScalarTypeName =
  | 'boolean'
  | 'byte'
  | 'short'
  | 'integer'
  | 'long'
  | 'float'
  | 'double'
  | 'char'
  | 'string'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'instant'
  | 'uuid'
  | 'gridUuid'
  | 'decimal'
  | 'bigInteger'
  | 'bytes';

/** Every type tag of a value. A complete table has the type `{ [T in ValueType]: ... }`. */
export type ValueType = ScalarTypeName | 'null' | 'array' | 'list' | 'map' | 'object' | 'enum' | 'opaque';

/** An exact decimal: `unscaled * 10 ** -scale`. The scale may be negative. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** A named member of an object. */
export interface Field {
  readonly name: string;
  readonly value: Value;
}

/**
 * A value with its type. Types are never guessed from the data: integer 5, long 5 and string "5" are three values.
 *
 * Units: `date` days since 1970-01-01; `time` milliseconds of the day; `timestamp` nanoseconds since the epoch;
 * `instant` (java.util.Date) milliseconds since the epoch; all in UTC.
 */
export type Value =
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly data: boolean }
  | { readonly type: 'byte'; readonly data: number }
  | { readonly type: 'short'; readonly data: number }
  | { readonly type: 'integer'; readonly data: number }
  | { readonly type: 'long'; readonly data: bigint }
  | { readonly type: 'float'; readonly data: number }
  | { readonly type: 'double'; readonly data: number }
  | { readonly type: 'char'; readonly data: string }
  | { readonly type: 'string'; readonly data: string }
  | { readonly type: 'date'; readonly data: number }
  | { readonly type: 'time'; readonly data: number }
  | { readonly type: 'timestamp'; readonly data: bigint }
  | { readonly type: 'instant'; readonly data: number }
  /** Lower case with dashes, 36 characters. */
  | { readonly type: 'uuid'; readonly data: string }
  /** Lower case `counter-uuid`, with the counter in hexadecimal. */
  | { readonly type: 'gridUuid'; readonly data: string }
  | { readonly type: 'decimal'; readonly data: Decimal }
  | { readonly type: 'bigInteger'; readonly data: bigint }
  | { readonly type: 'bytes'; readonly data: Uint8Array }
  /**
   * A Java array other than byte[]; `element` is the element type, 'object' for Object[]. `boxed`: whether it was
   * declared as an array of boxed types such as Integer[], not of primitive types such as int[]. Only the wire
   * protocol distinguishes them.
   */
  | {
      readonly type: 'array';
      readonly element: ScalarTypeName | 'object';
      readonly data: readonly Value[];
      readonly boxed?: true;
      /** Element class of an array of objects; java.lang.Object if undefined. Only the wire protocol uses it. */
      readonly componentClass?: string;
    }
  /** `kind`: the declared Java class; ArrayList if undefined. Only the wire protocol distinguishes them. */
  | { readonly type: 'list'; readonly data: readonly Value[]; readonly kind?: ListKind }
  /** Entries in insertion order. `kind`: the declared Java class; LinkedHashMap if undefined. */
  | { readonly type: 'map'; readonly data: ReadonlyArray<readonly [Value, Value]>; readonly kind?: MapKind }
  /** A custom type. The order of the fields is part of its identity (docs/spec/ignite-data.md 5.1). */
  | {
      readonly type: 'object';
      readonly typeName: string;
      readonly fields: readonly Field[];
      /** For an object from JSON whose fields the engine converts ({@link TypeRegistry}): whose rules they follow. */
      readonly follows?: RequestCompatibility;
    }
  | { readonly type: 'enum'; readonly typeName: string; readonly ordinal: number; readonly name: string | undefined }
  /** A value from a cluster without an equivalent type here. It can be read but not stored. */
  | { readonly type: 'opaque'; readonly className: string; readonly text: string };

/** Java collection classes other than ArrayList. */
export type ListKind = 'linkedList' | SetKind;
export type SetKind = 'hashSet' | 'linkedHashSet' | 'treeSet';

/** Java map classes other than LinkedHashMap. */
export type MapKind = 'hashMap' | 'treeMap';

/** The variant of {@link Value} with a given tag. */
export type ValueOf<T extends ValueType> = Extract<Value, { readonly type: T }>;

/** The null value. */
export const NULL: ValueOf<'null'> = Object.freeze({ type: 'null' });
export const TRUE: ValueOf<'boolean'> = Object.freeze({ type: 'boolean', data: true });
export const FALSE: ValueOf<'boolean'> = Object.freeze({ type: 'boolean', data: false });

/** Creates a string value. */
export function text(data: string): ValueOf<'string'> {
  return { type: 'string', data };
}

/**
 * The declared type of a field in a registered class or a query entity. `any` accepts all values of plain JSON
 * (docs/spec/contract.md 2.2, step 3).
 */
export type FieldType =
  | { readonly kind: 'scalar'; readonly type: ScalarTypeName; readonly precision?: number; readonly scale?: number }
  | { readonly kind: 'array'; readonly element: ScalarTypeName }
  | { readonly kind: 'list' | 'map' | 'any' };

/** The schema of a custom type: of a registered class (step 1) or a query entity (step 2). */
export interface ObjectSchema {
  readonly typeName: string;
  /**
   * class: drops unknown fields; missing numbers are 0, other missing fields null. entity: keeps unknown fields, and
   * missing ones are absent, or null with compatibility `reference`. entityKey: like entity, but missing ones are null,
   * so equal keys stay equal.
   */
  readonly source: 'class' | 'entity' | 'entityKey';
  readonly fields: ReadonlyArray<{ readonly name: string; readonly type: FieldType }>;
}

/** Returns the schema of a custom type by name, or undefined if it has none. */
export interface TypeRegistry {
  find(typeName: string): ObjectSchema | undefined;
  /**
   * Whether a cluster may have schemas that the registry does not find. If so, arrays of its classes, named like
   * `[Lorg.example.Person;`, are values, and the fields of objects are converted once the engine knows their cache.
   */
  readonly isPartial?: boolean;
}
