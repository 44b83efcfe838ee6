/** The subset of Markdown in the reference: paragraphs, code and strong text. Everything else stays plain text. */

export interface Span {
  readonly kind: 'text' | 'code' | 'strong';
  readonly text: string;
}

const MARKED = /`([^`]+)`|\*\*([^*]+)\*\*/g;

/** Returns the parts of a line. The text of each is shown as text, never as HTML. */
export function spansOf(line: string): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { 0: whole, 1: code, 2: strong, index } of line.matchAll(MARKED)) {
    if (index > from) spans.push({ kind: 'text', text: line.slice(from, index) });
    spans.push(code === undefined ? { kind: 'strong', text: strong ?? '' } : { kind: 'code', text: code });
    from = index + whole.length;
  }
  if (from < line.length) spans.push({ kind: 'text', text: line.slice(from) });
  return spans;
}

/** Returns the paragraphs of a text. */
export function paragraphsOf(text: string): ReadonlyArray<readonly Span[]> {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .map(spansOf);
}
