/**
 * Reads header lines that differ from an earlier request's only in some values: of `traceparent`, `X-Request-Id` or
 * `Idempotency-Key`, which clients change with each request. Parsing all lines would take longer.
 */
/** Headers whose values affect others, or how many bytes follow. Content-Length is checked separately. */
const FIXED: ReadonlySet<string> = new Set(['host', 'transfer-encoding', 'connection', 'expect']);

/** This many lines may change: a client has about three, with proxies in front of the service about six. */
const CHANGING_LINES = 12;

export class HeadTemplate {
  /** The text between the changing values, from the first line on. Each part ends where a value begins. */
  readonly #parts: readonly string[];
  /** The text after the last changing value. */
  readonly #end: string;
  /** The names of the changing lines, in order. */
  readonly names: readonly string[];
  /** The numbers of the changing lines. */
  readonly #changing: ReadonlySet<number>;

  private constructor(lines: readonly string[], changing: ReadonlySet<number>) {
    const parts: string[] = [];
    const names: string[] = [];
    let part = '';
    for (const [number, line] of lines.entries()) {
      if (changing.has(number)) {
        parts.push(`${part}${line.slice(0, line.indexOf(':') + 1)}`);
        names.push(nameOf(line));
        part = '\r\n';
      } else part += `${line}\r\n`;
    }
    this.#parts = parts;
    this.#end = part;
    this.names = names;
    this.#changing = changing;
  }

  /**
   * Returns the template of two blocks, where the second is valid, and of the lines that changed before. Returns
   * undefined if they do not have the same lines, or differ in one that must not change.
   */
  static of(former: string, text: string, known: HeadTemplate | undefined): HeadTemplate | undefined {
    const lines = linesOf(text);
    const formerLines = linesOf(former);
    if (lines.length !== formerLines.length) return undefined;
    const changing = new Set(known === undefined ? [] : known.#changing);
    for (const [number, line] of lines.entries()) {
      const formerLine = formerLines[number] ?? '';
      if (line === formerLine) continue;
      const nameEnd = line.indexOf(':') + 1;
      if (line.slice(0, nameEnd) !== formerLine.slice(0, nameEnd)) return undefined;
      changing.add(number);
    }
    return changing.size <= CHANGING_LINES && mayChange(lines, changing)
      ? new HeadTemplate(lines, changing)
      : undefined;
  }

  /** Returns the values of {@link names} in the header lines from `start` on, or undefined if others also differ. */
  read(text: string, start: number): readonly string[] | undefined {
    if (!text.endsWith(this.#end)) return undefined;
    const values: string[] = [];
    let at = start;
    for (let number = 0; number < this.#parts.length; number++) {
      const part = this.#parts[number] ?? '';
      if (!text.startsWith(part, at)) return undefined;
      const from = at + part.length;
      at = endOfValue(text, from);
      if (at < 0) return undefined;
      values.push(trimmed(text, from, at));
    }
    // The last value ends where the rest begins.
    return at + this.#end.length === text.length ? values : undefined;
  }
}

/** Returns where a value ends, or -1 if it contains an invalid character. */
function endOfValue(text: string, start: number): number {
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code >= 32 ? code === 127 : code !== 9) return code === 13 && text.charCodeAt(at + 1) === 10 ? at : -1;
  }
}

/** Returns the lines of a text in which each line ends with CRLF. */
function linesOf(text: string): string[] {
  return text.split('\r\n').slice(0, -1);
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(':')).toLowerCase();
}

/** Whether each line has its own value: the values of repeated headers are joined. */
function mayChange(lines: readonly string[], changing: ReadonlySet<number>): boolean {
  const names = lines.map(nameOf);
  return [...changing].every((number) => {
    const name = names[number] ?? '';
    return !FIXED.has(name) && names.indexOf(name) === names.lastIndexOf(name);
  });
}

/** Returns a value without surrounding blanks and tabs. Any other white space is part of it, to every reader. */
export function trimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
