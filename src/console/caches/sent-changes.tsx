/** The requests of several changes, expandable: usually only the first ones are read. */
import { formatNumber } from '../elements/formats.ts';
import type { Change } from './stored-rows.ts';

/** The shown part of many or long requests. */
const SHOWN_CHARACTERS = 2_000;

export function SentChanges({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  const text = changes.map((change) => change.text).join('\n');
  return (
    <details open>
      <summary>What is sent</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>
        {text.slice(0, SHOWN_CHARACTERS)}
        {text.length > SHOWN_CHARACTERS && ' …'}
      </pre>
      {changes.length > 1 && <p class="hint">{formatNumber(changes.length)} requests.</p>}
    </details>
  );
}
