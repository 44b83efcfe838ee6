/** What the query commands share in reading a statement. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';

/** The statement's text; refuses an absent one as Ignite does (docs/spec/ignite-cluster.md 6.1). */
export function requireStatement(text: string | undefined, limits: Limits): string {
  if (text === undefined) throw fail('PARAMETER_NULL', 'sql');
  if (text.length > limits.statementCharacters) {
    throw fail('LIMIT_EXCEEDED', 'statement characters', limits.statementCharacters, text.length);
  }
  return text;
}

/** The time limit in ms that the parameter `timeout` asks for; 0: the setting. */
export function timeoutMsOf(timeout: bigint | undefined): number {
  if (timeout === undefined || timeout <= 0n) return 0;
  return timeout > 2_147_483_647n ? 2_147_483_647 : Number(timeout);
}
