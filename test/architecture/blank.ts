/**
 * Source text reduced to code: comments, strings and regular expressions become blanks of the same length, so positions
 * and lines stay correct. Code inside `${...}` of a template stays.
 */
export function blankOut(source: string): string {
  return new Blanker(source).run();
}

/** A slash after one of these begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[=(,:;!&|?{}[\n+\-*%<>~^]|\b(?:return|case|typeof|in|of|do|else|yield|await|void))\s*$/;

class Blanker {
  readonly #source: string;
  readonly #kept: string[] = [];
  #at = 0;
  /** Depth of braces at which each open template continues. */
  readonly #templates: number[] = [];
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): string {
    while (this.#at < this.#source.length) this.#step();
    return this.#kept.join('');
  }

  #step(): void {
    const two = this.#source.slice(this.#at, this.#at + 2);
    const one = two.charAt(0);
    if (two === '//') this.#blankTo(this.#find('\n', this.#at));
    else if (two === '/*') this.#blankTo(this.#find('*/', this.#at + 2) + 2);
    else if (one === "'" || one === '"') this.#blankTo(this.#endOfText(one));
    else if (one === '`') this.#template(this.#at + 1);
    else if (one === '/' && BEFORE_REGEX.test(this.#recent())) this.#blankTo(this.#endOfRegex());
    else if (one === '}' && this.#templates.at(-1) === this.#depth) {
      this.#templates.pop();
      this.#depth -= 1;
      this.#template(this.#at + 1);
    } else {
      if (one === '{') this.#depth += 1;
      if (one === '}') this.#depth -= 1;
      this.#kept.push(one);
      this.#at += 1;
    }
  }

  #recent(): string {
    return this.#kept.slice(-40).join('');
  }

  #find(text: string, from: number): number {
    const found = this.#source.indexOf(text, from);
    return found < 0 ? this.#source.length : found;
  }

  #blankTo(end: number): void {
    const part = this.#source.slice(this.#at, end);
    for (const character of part) this.#kept.push(character === '\n' ? '\n' : ' '.repeat(character.length));
    this.#at = end;
  }

  #endOfText(quote: string): number {
    let at = this.#at + 1;
    while (at < this.#source.length && this.#source[at] !== quote) at += this.#source[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  #endOfRegex(): number {
    let at = this.#at + 1;
    let inClass = false;
    for (; at < this.#source.length; at++) {
      const character = this.#source[at];
      if (character === '\\') at += 1;
      else if (character === '[') inClass = true;
      else if (character === ']') inClass = false;
      else if ((character === '/' && !inClass) || character === '\n') break;
    }
    return at + 1;
  }

  /** Blanks a template's text up to its end or to the next `${`. */
  #template(from: number): void {
    let at = from;
    while (at < this.#source.length) {
      if (this.#source[at] === '\\') at += 2;
      else if (this.#source[at] === '`') {
        this.#blankTo(at + 1);
        return;
      } else if (this.#source.startsWith('${', at)) {
        this.#blankTo(at + 2);
        this.#depth += 1;
        this.#templates.push(this.#depth);
        return;
      } else at += 1;
    }
    this.#blankTo(at);
  }
}
