/**
 * How the members of a JSON object become parameters: rules that the transport applies to the body of a request, and
 * `batch` to each of its commands.
 */

/** Members that are arrays, with the stem of the numbered parameters that they set: `keys` sets k1, k2 ... */
export const NUMBERED_BY_LIST: Readonly<Record<string, string>> = { keys: 'k', values: 'v', args: 'arg', params: 'p' };

/** The same by the stem. */
export const LIST_OF_NUMBERED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NUMBERED_BY_LIST).map(([list, stem]) => [stem, list]),
);

const TYPED_MEMBERS: Readonly<Record<string, string>> = { key: 'keyType', val: 'valueType', val2: 'valueType' };
const TYPED_ELEMENTS: Readonly<Record<string, string>> = { k: 'keyType', v: 'valueType' };
const TEXT_TYPES = new Set(['', 'string', 'java.lang.string']);

/** Returns the stem of the numbered parameters that an array of this name sets; undefined if it sets none. */
export function stemOfList(name: string): string | undefined {
  return Object.hasOwn(NUMBERED_BY_LIST, name) ? NUMBERED_BY_LIST[name] : undefined;
}

/** Returns the parameter that must name the type of a member if its value is an object or array. */
export function typeParameterOf(member: string): string | undefined {
  if (Object.hasOwn(TYPED_MEMBERS, member)) return TYPED_MEMBERS[member];
  return /^arg\d+$/.test(member) ? `${member}Type` : undefined;
}

/** Returns the same for an element of an array that sets numbered parameters. */
export function typeParameterOfElement(stem: string, name: string): string | undefined {
  return stem === 'arg' ? `${name}Type` : TYPED_ELEMENTS[stem];
}

/**
 * Returns what is wrong with an object or array as a parameter; undefined if its type is declared. Without a type, it
 * would be stored as a string.
 */
export function untypedReason(name: string, typedBy: string | undefined, type: string | undefined): string | undefined {
  if (typedBy === undefined) return `${name} must be a text, a number, true, false or null`;
  if (!TEXT_TYPES.has((type ?? '').toLowerCase())) return undefined;
  return `${name} is an object or array, its type must be named by ${typedBy}`;
}

const INTEGER_MAX = 2n ** 31n;
const LONG_MAX = 2n ** 63n;

/** Returns the narrowest type that represents a JSON number exactly, as the type of an argument of a statement. */
export function numberType(text: string): string {
  if (/^-?\d+$/.test(text)) {
    const number = BigInt(text);
    if (number >= -INTEGER_MAX && number < INTEGER_MAX) return 'int';
    return number >= -LONG_MAX && number < LONG_MAX ? 'long' : 'java.math.BigDecimal';
  }
  const digits = text.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
  return digits.length <= 15 && Number.isFinite(Number(text)) ? 'double' : 'java.math.BigDecimal';
}
