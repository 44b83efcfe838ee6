/** Blocks of cells that a spreadsheet, a CSV file or a grid has put on the clipboard. */

/** Returns the fields of lines with a separator. A field in quotation marks may have any characters. */
function fieldsOf(text: string, separator: string): string[][] {
  const lines: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    let field = '';
    const isQuoted = text[at] === '"';
    if (isQuoted) {
      at++;
      while (at < text.length && !(text[at] === '"' && text[at + 1] !== '"')) {
        if (text[at] === '"') at++;
        field += text[at++];
      }
      at++;
    }
    const end = endOfField(text, separator, at);
    field += text.slice(at, end);
    lines.at(-1)?.push(field);
    at = end;
    if (text[at] === separator) at++;
    else {
      at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
      if (at < text.length) lines.push([]);
      else break;
    }
  }
  return lines;
}

function endOfField(text: string, separator: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}

/** Returns whether all lines have the same number of fields, and more than one. */
function isBlock(lines: readonly (readonly string[])[]): boolean {
  const [first] = lines;
  return first !== undefined && first.length > 1 && lines.every(({ length }) => length === first.length);
}

/** Returns the cells of a text by line, or undefined if it is a single value. */
export function pastedCells(text: string): readonly (readonly string[])[] | undefined {
  if (text.includes('\t')) return fieldsOf(text, '\t');
  const lines = /[\r\n]./s.test(text) ? [';', ','].map((separator) => fieldsOf(text, separator)).find(isBlock) : [];
  if (lines !== undefined) return lines.length > 0 ? lines : undefined;
  return fieldsOf(text, '\t');
}
