/** What the browser keeps between two visits. */

/** Returns the value that is kept under a key; undefined: none is. */
export function readKept<T>(key: string): T | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Keeps a value, unless the browser has no space left: then it is lost when the page is closed. */
export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch (problem) {
    if (!(problem instanceof DOMException)) throw problem;
  }
}
