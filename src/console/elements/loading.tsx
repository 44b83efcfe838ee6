/** The placeholder for content that has not been read yet. */
import { isOut } from '../requests/connection.ts';

/** Returns the sentence: while the service answers no commands, nothing is being loaded. */
export function loadingText(): string {
  return isOut.value ? 'Nothing has been read yet.' : 'Loading …';
}

export function Loading() {
  return <p class="hint">{loadingText()}</p>;
}
