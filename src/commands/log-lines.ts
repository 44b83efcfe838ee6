/** The reply of log: an array of lines, or one string with compatibility `reference`. */
import type { Reply } from './reply.ts';

export function linesReply(summary: string): Reply<string[]> {
  return {
    kind: 'lines',
    summary,
    schema: { type: 'array', items: { type: 'string' } },
    // Row 19 of docs/differences.md.
    write: (lines, { compatibility }) => JSON.stringify(compatibility === 'reference' ? lines.join('') : lines),
  };
}
