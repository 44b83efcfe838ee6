/** The reply of log: an array of lines, or one string if the compatibility flag `logAsString` is on. */
import type { Reply } from './reply.ts';

export function linesReply(summary: string): Reply<string[]> {
  return {
    kind: 'lines',
    summary,
    schema: { type: 'array', items: { type: 'string' } },
    write: (lines, { compatibilityFlags }) => JSON.stringify(compatibilityFlags.logAsString ? lines.join('') : lines),
  };
}
