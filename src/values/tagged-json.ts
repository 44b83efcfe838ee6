/** JSON of plain data with longs, bytes and special numbers, which become tagged objects. */

/** Serializes plain data. An undefined array element keeps its position; an undefined member is omitted. */
export function encodeTagged(data: unknown): string {
  return JSON.stringify(data, tag);
}

function tag(this: unknown, _: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $long: value.toString() };
  if (value instanceof Uint8Array) return { $bytes: value.toBase64() };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $number: Object.is(value, -0) ? '-0' : String(value) };
  if (value === undefined && Array.isArray(this)) return { $undefined: true };
  return value;
}

/** The beginning of every tagged object. Inside a string, the quote would follow a backslash. */
const TAGGED = '{"$';

/** Parses the output of {@link encodeTagged}. */
export function decodeTagged(text: string): unknown {
  // Calling a function for each value takes eight times as long as parsing.
  if (!text.includes(TAGGED)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$long' in value) return BigInt(String(value.$long));
    if ('$bytes' in value) return Uint8Array.fromBase64(String(value.$bytes));
    if ('$number' in value) return Number(value.$number);
    return '$undefined' in value ? undefined : value;
  });
}
