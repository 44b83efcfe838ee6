/** Splits a script into statements at semicolons, as it arrives. */
import { Scanner } from '../../sql/syntax/tokenizer.ts';

/** A statement of a script, without its semicolon. */
export interface ScriptStatement {
  readonly text: string;
  /** Line of its first word, from 1. */
  readonly line: number;
}

/** A text of this length is scanned again only after it has grown by half, so a long statement costs little. */
const ALWAYS_SCANNED_CHARACTERS = 256 * 1024;

export class StatementSplitter {
  #text = '';
  #line = 1;
  /** Length of the text that was scanned last without finding the end of a statement. */
  #scanned = 0;

  /** Adds text and returns the statements that it completes. */
  add(text: string): ScriptStatement[] {
    this.#text += text;
    const { length } = this.#text;
    if (!text.includes(';') || (length > ALWAYS_SCANNED_CHARACTERS && length < this.#scanned * 1.5)) return [];
    return this.#split();
  }

  /** Returns the remaining statements, the last one possibly without a semicolon. */
  end(): ScriptStatement[] {
    const statements = this.#split();
    const rest = this.#cut(this.#text.length, this.#text.length);
    return rest === undefined ? statements : [...statements, rest];
  }

  /** Skips a line that is not part of a statement, while nothing waits for a semicolon, and returns its number. */
  skipLine(): number {
    this.reset();
    this.#line += 1;
    return this.#line - 1;
  }

  /** Forgets the text of an incomplete statement. */
  reset(): void {
    this.#cut(this.#text.length, this.#text.length);
  }

  /** Reports whether only blanks and comments are waiting for a semicolon. */
  get isEmpty(): boolean {
    return startOf(this.#text) === undefined;
  }

  #split(): ScriptStatement[] {
    const statements: ScriptStatement[] = [];
    for (;;) {
      const end = endOf(this.#text);
      if (end === undefined) break;
      const statement = this.#cut(end, end + 1);
      if (statement !== undefined) statements.push(statement);
    }
    this.#scanned = this.#text.length;
    return statements;
  }

  /** Removes the text up to `next` and returns the statement in the text before `end`, if there is one. */
  #cut(end: number, next: number): ScriptStatement | undefined {
    const whole = this.#text.slice(0, end);
    const start = startOf(whole);
    const line = this.#line + newlines(whole.slice(0, start ?? end));
    this.#line += newlines(this.#text.slice(0, next));
    this.#text = this.#text.slice(next);
    this.#scanned = 0;
    return start === undefined ? undefined : { text: whole.slice(start).trimEnd(), line };
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Returns the offset of the semicolon that ends the first statement, or undefined if it is incomplete. */
function endOf(text: string): number | undefined {
  const scanner = new Scanner(text);
  try {
    while (scanner.next() !== 'end') {
      if (scanner.kind === 'symbol' && text[scanner.start] === ';') return scanner.start;
    }
    return undefined;
  } catch {
    const at = scanner.start;
    // A quote or comment that may still be closed. The service explains any other character.
    if (/^(?:['"`]|\$\$|\/\*)/.test(text.slice(at, at + 2))) return undefined;
    const end = text.indexOf(';', at);
    return end < 0 ? undefined : end;
  }
}

/** Returns the offset of the first word, or undefined if there are only blanks and comments. */
function startOf(text: string): number | undefined {
  const scanner = new Scanner(text);
  try {
    return scanner.next() === 'end' ? undefined : scanner.start;
  } catch {
    return scanner.start;
  }
}
