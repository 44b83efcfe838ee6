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

/** Every tag that a value can carry. A table over all of them is `{ [T in ValueType]: ... }`. */
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
 * A value with its type. A type is never guessed from the data: integer 5, long 5 and text "5" are three values.
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
  /** Lower-case text with dashes, 36 characters. */
  | { readonly type: 'uuid'; readonly data: string }
  /** Lower-case `counter-uuid`, counter in hexadecimal. */
  | { readonly type: 'gridUuid'; readonly data: string }
  | { readonly type: 'decimal'; readonly data: Decimal }
  | { readonly type: 'bigInteger'; readonly data: bigint }
  | { readonly type: 'bytes'; readonly data: Uint8Array }
  /**
   * A Java array other than byte[]; `element` is the element type, 'object' for Object[]. `boxed`: declared as an array
   * of the classes of numbers and booleans, not of Java's primitive types; only the cluster's wire tells them apart.
   */
  | {
      readonly type: 'array';
      readonly element: ScalarTypeName | 'object';
      readonly data: readonly Value[];
      readonly boxed?: true;
    }
  /** `kind`: the class of Java that it was declared as; absent: ArrayList. Only the cluster's wire tells them apart. */
  | { readonly type: 'list'; readonly data: readonly Value[]; readonly kind?: ListKind }
  /** Entries in insertion order. `kind`: as for lists; absent: LinkedHashMap. */
  | { readonly type: 'map'; readonly data: ReadonlyArray<readonly [Value, Value]>; readonly kind?: MapKind }
  /** A custom type. The order of the fields is part of its identity (docs/spec/ignite-data.md 5.1). */
  | { readonly type: 'object'; readonly typeName: string; readonly fields: readonly Field[] }
  | { readonly type: 'enum'; readonly typeName: string; readonly ordinal: number; readonly name: string | undefined }
  /** A value of a remote engine that has no type of ours: shown, never written. */
  | { readonly type: 'opaque'; readonly className: string; readonly text: string };

/** Classes of Java that hold several values, beside ArrayList. */
export type ListKind = 'linkedList' | 'hashSet' | 'linkedHashSet' | 'treeSet';

/** Classes of Java that hold pairs, beside LinkedHashMap. */
export type MapKind = 'hashMap' | 'treeMap';

/** The variant of {@link Value} with a given tag. */
export type ValueOf<T extends ValueType> = Extract<Value, { readonly type: T }>;

/** The one null. */
export const NULL: ValueOf<'null'> = Object.freeze({ type: 'null' });
export const TRUE: ValueOf<'boolean'> = Object.freeze({ type: 'boolean', data: true });
export const FALSE: ValueOf<'boolean'> = Object.freeze({ type: 'boolean', data: false });

/** Makes a text value. */
export function text(data: string): ValueOf<'string'> {
  return { type: 'string', data };
}

/**
 * The declared type of a field of a registered class or a query entity.
 * `any` takes what plain JSON gives (docs/spec/contract.md 2.2, step 3).
 */
export type FieldType =
  | { readonly kind: 'scalar'; readonly type: ScalarTypeName; readonly precision?: number; readonly scale?: number }
  | { readonly kind: 'array'; readonly element: ScalarTypeName }
  | { readonly kind: 'list' | 'map' | 'any' };

/** What is known of a custom type's name: a registered class (step 1) or a query entity (step 2). */
export interface ObjectSchema {
  readonly typeName: string;
  /** class: unknown fields are dropped, missing numbers are 0. entity: unknown fields stay, missing ones are null. */
  readonly source: 'class' | 'entity';
  readonly fields: ReadonlyArray<{ readonly name: string; readonly type: FieldType }>;
}

/** Finds the schema of a custom type by name; undefined: plain JSON. */
export interface TypeRegistry {
  find(typeName: string): ObjectSchema | undefined;
}
