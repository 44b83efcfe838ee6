/** Type names in keyType and valueType (docs/spec/ignite-data.md 5), and the Java classes of values. */
import { isScalar, SCALAR_TRAITS, SCALAR_TYPES } from './scalar-traits.ts';
import type { ListKind, MapKind, ScalarTypeName, Value, ValueOf } from './value.ts';

/** The meaning of a declared type name. */
export type ResolvedType =
  /** A scalar type: the parameter is its text form. */
  | { readonly kind: 'scalar'; readonly type: ScalarTypeName }
  /** A class of the Java library: the parameter is JSON. */
  | { readonly kind: 'java'; readonly className: string; readonly shape: JavaShape }
  /** A custom type: the parameter is a JSON object. */
  | { readonly kind: 'custom'; readonly typeName: string };

/** How JSON is converted to a Java class. */
export type JavaShape =
  | { readonly kind: 'any' | 'number' }
  /** `as`: the Java class of the result, unless it is ArrayList or LinkedHashMap. */
  | { readonly kind: 'list'; readonly as?: ListKind }
  | { readonly kind: 'set'; readonly as: ListKind }
  | { readonly kind: 'map'; readonly as?: MapKind; readonly values: 'any' | 'present' | 'text' }
  | { readonly kind: 'scalar'; readonly type: ScalarTypeName }
  /** `boxed`: elements may be null; otherwise null becomes 0 or false. */
  | { readonly kind: 'array'; readonly element: ScalarTypeName | 'object'; readonly boxed: boolean };

const ALIASES = new Map<string, ResolvedType>();
for (const type of SCALAR_TYPES) {
  const { names, javaClass } = SCALAR_TRAITS[type];
  if (names.length === 0) continue;
  const resolved: ResolvedType = Object.freeze({ kind: 'scalar', type });
  for (const name of [...names, javaClass.toLowerCase()]) ALIASES.set(name, resolved);
}

const JAVA_SHAPES = new Map<string, JavaShape>();

function declareShapes(shape: JavaShape, names: readonly string[]): void {
  for (const name of names) JAVA_SHAPES.set(name, shape);
}

declareShapes({ kind: 'any' }, ['java.lang.Object', 'java.io.Serializable']);
declareShapes({ kind: 'number' }, ['java.lang.Number']);
declareShapes({ kind: 'list' }, [
  'java.util.ArrayList',
  'java.util.List',
  'java.util.Collection',
  'java.lang.Iterable',
  'java.util.AbstractList',
  'java.util.Vector',
  'java.util.Stack',
  'java.util.ArrayDeque',
]);
declareShapes({ kind: 'list', as: 'linkedList' }, ['java.util.LinkedList', 'java.util.Queue', 'java.util.Deque']);
declareShapes({ kind: 'set', as: 'hashSet' }, ['java.util.Set', 'java.util.HashSet']);
declareShapes({ kind: 'set', as: 'linkedHashSet' }, ['java.util.LinkedHashSet']);
declareShapes({ kind: 'set', as: 'treeSet' }, ['java.util.TreeSet', 'java.util.SortedSet', 'java.util.NavigableSet']);
declareShapes({ kind: 'map', as: 'hashMap', values: 'any' }, ['java.util.HashMap']);
declareShapes({ kind: 'map', values: 'any' }, [
  'java.util.Map',
  'java.util.LinkedHashMap',
  'java.util.AbstractMap',
  'java.util.IdentityHashMap',
  'java.util.WeakHashMap',
]);
declareShapes({ kind: 'map', as: 'treeMap', values: 'any' }, [
  'java.util.TreeMap',
  'java.util.SortedMap',
  'java.util.NavigableMap',
]);
declareShapes({ kind: 'map', values: 'present' }, [
  'java.util.Hashtable',
  'java.util.concurrent.ConcurrentHashMap',
  'java.util.concurrent.ConcurrentMap',
]);
declareShapes({ kind: 'map', values: 'text' }, ['java.util.Properties']);
declareShapes({ kind: 'scalar', type: 'decimal' }, ['java.math.BigDecimal']);
declareShapes({ kind: 'scalar', type: 'bigInteger' }, ['java.math.BigInteger']);
declareShapes({ kind: 'scalar', type: 'instant' }, ['java.util.Date', 'java.util.Calendar']);
declareShapes({ kind: 'scalar', type: 'char' }, ['java.lang.Character']);
declareShapes({ kind: 'scalar', type: 'string' }, [
  'java.lang.CharSequence',
  'java.lang.StringBuilder',
  'java.lang.StringBuffer',
  'java.net.URI',
  'java.net.URL',
  'java.util.Locale',
]);
declareShapes({ kind: 'scalar', type: 'integer' }, ['java.util.concurrent.atomic.AtomicInteger']);
declareShapes({ kind: 'scalar', type: 'long' }, ['java.util.concurrent.atomic.AtomicLong']);
declareShapes({ kind: 'scalar', type: 'boolean' }, ['java.util.concurrent.atomic.AtomicBoolean']);
declareShapes({ kind: 'scalar', type: 'bytes' }, ['[B']);
for (const element of SCALAR_TYPES) {
  const { javaClass, primitive } = SCALAR_TRAITS[element];
  declareShapes({ kind: 'array', element, boxed: true }, [`[L${javaClass};`]);
  // byte[] is the scalar type `bytes`.
  if (primitive !== undefined && element !== 'byte') {
    declareShapes({ kind: 'array', element, boxed: false }, [primitive.arrayClass]);
  }
}
declareShapes({ kind: 'array', element: 'object', boxed: true }, ['[Ljava.lang.Object;', '[Ljava.lang.Number;']);

/**
 * Resolves a declared type name. Names of scalar types are case-insensitive and not trimmed; Java classes and custom
 * types match exactly. The grid UUID type is named after the service, for example IgniteUuid; SvcUuid always works.
 */
export function resolveType(name: string, serviceName: string): ResolvedType {
  const known = ALIASES.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  const folded = ALIASES.get(lower);
  if (folded !== undefined) return folded;
  if (lower === `${serviceName.toLowerCase()}uuid`) return { kind: 'scalar', type: 'gridUuid' };
  const shape = JAVA_SHAPES.get(name);
  if (shape !== undefined) return { kind: 'java', className: name, shape };
  return { kind: 'custom', typeName: name };
}

/** Short names of classes that are not types of the contract. */
export const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    decimal: 'java.math.BigDecimal',
    bigdecimal: 'java.math.BigDecimal',
    biginteger: 'java.math.BigInteger',
    list: 'java.util.List',
    set: 'java.util.Set',
    map: 'java.util.Map',
  }),
);

/**
 * Returns the Java class for a short name: `decimal`, `list`, `map`. Lower case only: names of custom types usually
 * begin with a capital letter.
 */
export function resolveShortName(name: string, serviceName: string): ResolvedType | undefined {
  const className = SHORT_NAMES.get(name);
  return className === undefined ? undefined : resolveType(className, serviceName);
}

const SCALAR_CLASSES: ReadonlySet<string> = new Set(SCALAR_TYPES.map((type) => SCALAR_TRAITS[type].javaClass));

/** Returns whether a type is a class of the Java library available on Ignite nodes, such as java.lang.String. */
export function isJavaClass(name: string): boolean {
  return JAVA_SHAPES.has(name) || (SCALAR_CLASSES.has(name) && name.startsWith('java.'));
}

/** Returns the names of the contract's types as the service shows them, for messages and documentation. */
export function contractTypeNames(serviceName: string): readonly string[] {
  const uuid = `${serviceName.charAt(0).toUpperCase()}${serviceName.slice(1)}Uuid`;
  const named = SCALAR_TYPES.filter((type) => SCALAR_TRAITS[type].names.length > 0);
  return named.map((type) => (type === 'gridUuid' ? uuid : type));
}

/** Returns all names valid in keyType and valueType besides custom types, as clients usually write them. */
export function knownTypeNames(serviceName: string): readonly string[] {
  const aliases = SCALAR_TYPES.flatMap((type) => {
    const { names, javaClass } = SCALAR_TRAITS[type];
    return names.length === 0 || type === 'gridUuid' ? [] : [...names, javaClass];
  });
  return [...new Set([...contractTypeNames(serviceName), ...aliases, ...JAVA_SHAPES.keys()])].filter(
    (name) => !name.startsWith('['),
  );
}

/** Returns the full name of a value's Java class, or its custom type's name. */
export function javaClassOf(value: Value): string {
  if (value.type === 'null') return 'java.lang.Void';
  if (value.type === 'list') return 'java.util.ArrayList';
  if (value.type === 'map') return 'java.util.HashMap';
  if (value.type === 'object' || value.type === 'enum') return value.typeName;
  if (value.type === 'opaque') return value.className;
  if (value.type !== 'array') return SCALAR_TRAITS[value.type].javaClass;
  return value.element === 'object' ? '[Ljava.lang.Object;' : arrayClassOf(value.element);
}

/** Returns the class name of Java arrays of a scalar type: of its primitive type if it has one. */
export function arrayClassOf(element: ScalarTypeName): string {
  const { javaClass, primitive } = SCALAR_TRAITS[element];
  return primitive?.arrayClass ?? `[L${javaClass};`;
}

/** Returns the scalar type that an entity names, or undefined for a custom type. */
export function scalarTypeNamed(name: string): ScalarTypeName | undefined {
  const lower = name.toLowerCase();
  return SCALAR_TYPES.find((type) => {
    const { names, javaClass } = SCALAR_TRAITS[type];
    return names.includes(lower) || javaClass === name || type === name;
  });
}

/** Returns the name of a value's type in keyType and valueType. */
export function typeNameOf(value: Value): string {
  if (value.type === 'gridUuid') return 'SvcUuid';
  if (value.type === 'list' && value.kind !== undefined) return LIST_CLASSES[value.kind];
  if (value.type === 'map') return value.kind === undefined ? 'java.util.LinkedHashMap' : MAP_CLASSES[value.kind];
  if (value.type === 'array' && value.element !== 'object' && (value.boxed === true || value.data.some(isNull))) {
    return `[L${SCALAR_TRAITS[value.element].javaClass};`;
  }
  return isScalar(value) && SCALAR_TRAITS[value.type].names.length > 0 ? value.type : javaClassOf(value);
}

const LIST_CLASSES: { readonly [K in NonNullable<ValueOf<'list'>['kind']>]: string } = {
  linkedList: 'java.util.LinkedList',
  hashSet: 'java.util.HashSet',
  linkedHashSet: 'java.util.LinkedHashSet',
  treeSet: 'java.util.TreeSet',
};

const MAP_CLASSES: { readonly [K in NonNullable<ValueOf<'map'>['kind']>]: string } = {
  hashMap: 'java.util.HashMap',
  treeMap: 'java.util.TreeMap',
};

function isNull({ type }: Value): boolean {
  return type === 'null';
}
