/** The tokens of SQL text, as far as the editor needs them: quoted text and comments are not mistaken for code. */

type TokenKind = 'word' | 'quoted' | 'string' | 'comment' | 'parameter' | 'mark';

export interface Token {
  readonly kind: TokenKind;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** In this order: the first match is the token. An unclosed quotation extends to the end of the text. */
const KINDS: ReadonlyArray<readonly [kind: TokenKind | 'space', pattern: RegExp]> = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['string', /'(?:[^']|'')*(?:'|$)/y],
  ['quoted', /"(?:[^"]|"")*(?:"|$)/y],
  // A cast such as x::int is not a parameter.
  ['parameter', /(?<!:):[A-Za-z_]\w*|\?\d*/y],
  ['word', /[\p{L}\p{N}_$]+/uy],
  ['mark', /[\s\S]/y],
];

/** Returns the tokens of a text, in order, without the spaces between them. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const from = at;
    for (const [kind, pattern] of KINDS) {
      pattern.lastIndex = from;
      const [found] = pattern.exec(text) ?? [];
      if (found === undefined) continue;
      at = from + found.length;
      if (kind !== 'space') tokens.push({ kind, from, to: at, text: found });
      break;
    }
  }
  return tokens;
}

/** Returns the name that a word or a quoted word means: words are in upper case for the service. */
export function nameOf({ kind, text }: Token): string {
  return kind === 'quoted' ? text.replace(/^"|"$/g, '').replaceAll('""', '"') : text.toUpperCase();
}
