/** The value of a cell as text, as JSON and as bytes. */

const BYTES_A_LINE = 16;
/** A longer value would make the page slow. */
export const MOST_BYTES = 64 * 1024;

/** Returns JSON with indents, whose numbers keep all their digits; undefined if the text is no object or list. */
export function asJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return indented(text);
}

/** Adds line ends and indents to JSON, outside of its strings. */
function indented(json: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+|[[{]\s*[\]}]|[[\]{},:]/g, (part) => {
    if (/^\s/.test(part)) return '';
    if (part.startsWith('"')) return part;
    if (part.length > 1) return part.replace(/\s/g, '');
    if (part === '[' || part === '{') {
      depth++;
      return part + line();
    }
    if (part === ']' || part === '}') {
      depth--;
      return line() + part;
    }
    return part === ',' ? part + line() : ': ';
  });
}

/** Returns the bytes of a value: those that Base64 stands for, or those of a text in UTF-8. */
export function bytesOf(text: string, isBinary: boolean): Uint8Array {
  if (!isBinary) return new TextEncoder().encode(text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Returns bytes in lines of an offset, hexadecimal numbers and their ASCII characters. */
export function asHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, MOST_BYTES); at += BYTES_A_LINE) {
    const part = [...bytes.subarray(at, at + BYTES_A_LINE)];
    const numbers = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const characters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${numbers.padEnd(BYTES_A_LINE * 3 - 1)}  ${characters}`);
  }
  return lines.join('\n');
}
