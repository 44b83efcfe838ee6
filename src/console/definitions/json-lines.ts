/** Files with a JSON array of objects, as the lines that imports read. Numbers keep their digits: nothing is parsed. */

/** Finds the elements of a JSON array in a text that arrives in parts. */
export class ArrayLines {
  /** The nesting depth in brackets; 0 outside the array. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isOver = false;
  /** The received part of the incomplete element. */
  #element = '';

  /** Returns a line for each element that a part of the text completes. Throws if the text is not an array. */
  feed(text: string): string {
    let lines = '';
    let from = this.#depth > 0 ? 0 : undefined;
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (character === '\\') this.#isEscaped = true;
        else if (character === '"') this.#isInString = false;
        continue;
      }
      if (this.#depth === 0) {
        if (/[\s\ufeff]/.test(character)) continue;
        if (character !== '[' || this.#isOver) throw new Error('The file is not a single JSON array.');
        this.#depth = 1;
        from = at + 1;
        continue;
      }
      if (character === '"') this.#isInString = true;
      else if (character === '{' || character === '[') this.#depth++;
      else if (character === '}' || character === ']') this.#depth--;
      const isEnd = this.#depth === 0;
      if (!isEnd && !(character === ',' && this.#depth === 1)) continue;
      lines += this.#lineOf(text.slice(from ?? at, at));
      from = at + 1;
      this.#isOver = isEnd;
    }
    if (from !== undefined && this.#depth > 0) this.#element += text.slice(from);
    return lines;
  }

  /** Throws if the array is not complete. */
  end(): void {
    if (!this.#isOver) throw new Error('The file ends within its JSON array.');
  }

  #lineOf(rest: string): string {
    // Line ends are allowed between the parts of an element, but not in strings.
    const element = `${this.#element}${rest}`.replace(/[\r\n]+/g, ' ').trim();
    this.#element = '';
    return element === '' ? '' : `${element}\n`;
  }
}

/** Returns whether a file begins like a JSON array. */
async function isArray(file: File): Promise<boolean> {
  if (!/\.json$/i.test(file.name)) return false;
  return /^[\s\ufeff]*\[/.test(await file.slice(0, 1_024).text());
}

/** Bytes of a file read in one step: the page handles input in between. */
const PART_BYTES = 256 * 1_024;

/**
 * Returns a file that an import reads: one with a JSON array becomes lines, any other stays. `most` limits its bytes.
 * Throws an Error for an array that is not complete.
 */
export async function importable(file: File, most = file.size): Promise<File> {
  const part = file.slice(0, most);
  if (!(await isArray(file))) return new File([part], file.name);
  const lines = new ArrayLines();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let at = 0; at < part.size; at += PART_BYTES) {
    const bytes = await part.slice(at, at + PART_BYTES).arrayBuffer();
    parts.push(lines.feed(decoder.decode(bytes, { stream: true })));
  }
  if (most >= file.size) lines.end();
  return new File(parts, file.name.replace(/\.json$/i, '.ndjson'));
}
