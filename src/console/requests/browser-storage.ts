/** Values that the browser stores between visits. */

/** Returns the value stored under a key, or undefined if there is none. */
export function readKept<T>(key: string): T | undefined {
  const text = localStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Stores a value; if the browser has no space left, it is lost when the page is closed. */
export function keep(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch (problem) {
    if (!(problem instanceof DOMException)) throw problem;
  }
}
