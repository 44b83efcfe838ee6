/**
 * Distinguished names as in RFC 4514: relative names separated by commas, the attributes of one relative name by plus
 * signs. Escapes separate a value from the following attributes, so two different names are never the same string.
 */

/** One attribute: its type, as a dotted object identifier if the name is known, and its value. */
export interface NameAttribute {
  readonly type: string;
  readonly value: string;
}

/** Relative names in order; most have one attribute. */
export type DistinguishedName = ReadonlyArray<readonly NameAttribute[]>;

/** Thrown for a string that is not a distinguished name; the message says why. */
export class NameError extends Error {}

/** Short names of attribute types, as printed by OpenSSL. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'street'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'title'],
  ['2.5.4.13', 'description'],
  ['2.5.4.15', 'businessCategory'],
  ['2.5.4.17', 'postalCode'],
  ['2.5.4.41', 'name'],
  ['2.5.4.42', 'GN'],
  ['2.5.4.43', 'initials'],
  ['2.5.4.44', 'generationQualifier'],
  ['2.5.4.46', 'dnQualifier'],
  ['2.5.4.65', 'pseudonym'],
  ['2.5.4.97', 'organizationIdentifier'],
  ['0.9.2342.19200300.100.1.1', 'UID'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
  ['1.2.840.113549.1.9.2', 'unstructuredName'],
]);
const TYPES = new Map([...TYPE_NAMES].map(([type, name]) => [name.toLowerCase(), type]));

const DOTTED = /^[0-2](?:\.(?:0|[1-9]\d*))+$/;
const HEX_PAIR = /^[0-9a-f]{2}$/i;
const SPECIAL = ',+"\\<>;';

/**
 * Returns the same string for a name however its author ordered and spelled it: `CN=ann,O=Example`. RFC 4514 lists a
 * certificate's last relative name first, `openssl x509 -subject` and earlier versions the first one, so a name and its
 * reverse are the same here; so are the orders of attributes within one relative name.
 */
export function canonicalName(name: DistinguishedName): string {
  const parts = name.map((attributes) => attributes.map(attributeText).sort().join('+'));
  const forward = parts.join(',');
  const backward = parts.toReversed().join(',');
  return forward < backward ? forward : backward;
}

function attributeText({ type, value }: NameAttribute): string {
  return `${TYPE_NAMES.get(type) ?? type}=${escapeValue(value)}`;
}

/**
 * Escapes characters that would end a value or be lost: separators, a leading `#` or space, a trailing space, controls.
 */
function escapeValue(value: string): string {
  let escaped = '';
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    const character = value.charAt(at);
    const isEdge = (at === 0 && (character === '#' || character === ' ')) || (at === value.length - 1 && code === 0x20);
    if (code < 0x20 || code === 0x7f) escaped += `\\${code.toString(16).padStart(2, '0')}`;
    else escaped += isEdge || SPECIAL.includes(character) ? `\\${character}` : character;
  }
  return escaped;
}

/**
 * Parses a distinguished name. Types are accepted in any letter case, as short names or dotted; blanks
 * around separators are ignored. `isPrinted`: the runtime has written it, which knows more type names.
 * Throws {@link NameError}.
 */
export function parseName(text: string, { isPrinted = false } = {}): DistinguishedName {
  const name: NameAttribute[][] = [];
  let relative: NameAttribute[] = [];
  for (let at = 0; ; at++) {
    const equals = text.indexOf('=', at);
    const named = equals < 0 ? text.slice(at) : text.slice(at, equals);
    if (equals < 0 || /[,+]/.test(named)) {
      throw new NameError(
        `"${named.split(/[,+]/, 1)[0]?.trim()}" has no "="; write "," and "+" of a value as "\\\\," and "\\\\+"`,
      );
    }
    const type = typeOf(named.trim(), isPrinted);
    const { value, end } = readValue(text, equals + 1);
    relative.push({ type, value });
    at = end;
    if (text[at] === '+') continue;
    name.push(relative);
    relative = [];
    if (at >= text.length) return name;
  }
}

function typeOf(name: string, isPrinted: boolean): string {
  if (DOTTED.test(name)) return name;
  const type = TYPES.get(name.toLowerCase());
  if (type !== undefined) return type;
  if (isPrinted) return name;
  throw new NameError(`"${name}" is not a known attribute; write it as an object identifier`);
}

/** Reads a value up to an unescaped separator or the end. */
function readValue(text: string, from: number): { readonly value: string; readonly end: number } {
  const bytes: number[] = [];
  /** Length of the part to keep: trailing blanks count only if escaped. */
  let kept = 0;
  let at = from;
  while (text[at] === ' ') at++;
  if (text[at] === '#') throw new NameError('a value begins with "#": write the text, and a leading "#" as "\\#"');
  for (; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === ',' || character === '+' || character === ';') break;
    if (character === '\\') {
      const pair = text.slice(at + 1, at + 3);
      const isPair = HEX_PAIR.test(pair);
      const next = text[at + 1];
      if (!isPair && (next === undefined || !`${SPECIAL} #=`.includes(next))) {
        throw new NameError(`"\\${next ?? ''}" is not an escape; write a backslash as "\\\\"`);
      }
      bytes.push(...(isPair ? Uint8Array.fromHex(pair) : Buffer.from(String(next))));
      kept = bytes.length;
      at += isPair ? 3 : 2;
      continue;
    }
    bytes.push(...Buffer.from(character));
    if (character !== ' ') kept = bytes.length;
    at += character.length;
  }
  if (text[at] === ';') throw new NameError('";" separates nothing; write it as "\\;"');
  return { value: textOf(Uint8Array.from(bytes.slice(0, kept))), end: at };
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NameError('the escaped bytes are not valid UTF-8');
  }
}
