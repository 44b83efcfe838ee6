/** Finds a member in the source of a configuration file, for error messages. */

/** Line and column, both from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a member such as `caches[0].name` in the object that a file exports with
 * `defineConfig({...})` or `export default {...}`. Returns undefined if the file computes the member, with a variable
 * or a spread.
 */
export function positionOf(source: string, path: string): SourcePosition | undefined {
  const code = withoutTexts(source);
  const start = /export\s+default\s+(?:[\w$]+\s*\(\s*)?(?=\{)/.exec(code);
  if (start === null) return undefined;
  let at = start.index + start[0].length;
  let found: number | undefined;
  for (const [, name, index, quoted] of path.matchAll(/([A-Za-z_$][\w$-]*)|\[(\d+)\]|\["([^"]*)"\]/g)) {
    const member =
      index === undefined ? memberAt(source, code, at, name ?? quoted ?? '') : itemAt(code, at, Number(index));
    if (member === undefined) break;
    found = member.start;
    at = member.value;
  }
  return found === undefined ? undefined : lineAndColumn(source, found);
}

interface Member {
  readonly start: number;
  readonly value: number;
}

/** Returns the member of the object that begins at `at`. */
function memberAt(source: string, code: string, at: number, name: string): Member | undefined {
  if (code[at] !== '{') return undefined;
  for (const start of parts(code, at)) {
    // Names in quotes are blank in the code without string contents.
    const key = /^(?:([\w$]+)|(['"])(.*?)\2)\s*:\s*/.exec(source.slice(start, start + 200));
    if ((key?.[1] ?? key?.[3]) === name) return { start, value: start + (key?.[0].length ?? 0) };
  }
  return undefined;
}

function itemAt(code: string, at: number, index: number): Member | undefined {
  if (code[at] !== '[') return undefined;
  const start = parts(code, at)[index];
  return start === undefined ? undefined : { start, value: start };
}

/** Returns the offsets of the members of the object or array that begins at `at`. */
function parts(code: string, at: number): number[] {
  const starts: number[] = [];
  let depth = 0;
  let expectsPart = false;
  for (let offset = at; offset < code.length; offset++) {
    const character = code[offset] ?? '';
    if (depth === 1 && expectsPart && !/[\s,}\]]/.test(character)) {
      starts.push(offset);
      expectsPart = false;
    }
    if (/[{[(]/.test(character)) depth++;
    if (/[}\])]/.test(character)) depth--;
    if (depth === 0) break;
    if (depth === 1 && (offset === at || character === ',')) expectsPart = true;
  }
  return starts;
}

/** Replaces the contents of comments by blanks, and the contents of strings by underscores; offsets stay the same. */
function withoutTexts(source: string): string {
  const texts = /\/\/[^\n]*|\/\*.*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/gs;
  return source.replace(texts, (text) =>
    text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text.replace(/[^\n]/g, '_'),
  );
}

function lineAndColumn(source: string, offset: number): SourcePosition {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
