/** A command line for programs, folded. */
import { endpointUrl } from '../requests/request.ts';
import { Copied } from './copied.tsx';

interface AsCurlProps {
  readonly summary: string;
  /** Returns the command line for the address of the endpoint, or undefined if there is none. */
  readonly textOf: (endpoint: string) => string | undefined;
}

export function AsCurl({ summary, textOf }: AsCurlProps) {
  const text = textOf(endpointUrl());
  if (text === undefined) return null;
  return (
    <details>
      <summary>{summary}</summary>
      <Copied key={text} text={text} />
    </details>
  );
}
