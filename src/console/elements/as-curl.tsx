/** A command line for programs, folded. */
import { endpoint } from '../requests/request.ts';

interface AsCurlProps {
  readonly summary: string;
  /** Returns the command line for the address of the endpoint; undefined if there is none. */
  readonly textOf: (endpoint: string) => string | undefined;
}

export function AsCurl({ summary, textOf }: AsCurlProps) {
  const text = textOf(new URL(endpoint(), location.href).href.replace(/#.*$/, ''));
  if (text === undefined) return null;
  return (
    <details>
      <summary>{summary}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}
