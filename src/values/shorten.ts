/** Characters of a value that an error message shows. */
const SHOWN_CHARACTERS = 1_000;

/** Shortens a text from a request for an error message. */
export function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}
