/** Parameters of statements that the query commands share. */
import { fail } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Knowledge } from '../grid/knowledge.ts';
import type { CompatibilityFlags } from './compatibility-flags.ts';
import type { Context } from './context.ts';
import { sentName } from './params.ts';

/** Returns the statement. Throws PARAMETER_NULL if it is absent, as Ignite does (docs/spec/ignite-cluster.md 6.1). */
export function requireStatement(text: string | undefined, limits: Limits, flags: CompatibilityFlags): string {
  if (text === undefined) throw fail('PARAMETER_NULL', 'sql', sentName('qry', flags)).about('qry');
  if (text.length > limits.statementCharacters) {
    throw fail('LIMIT_EXCEEDED', 'statement characters', limits.statementCharacters, text.length);
  }
  return text;
}

/** Returns the time limit in ms of the parameter `timeout`; 0 stands for the configured one. */
export function timeoutMsOf(timeout: bigint | undefined): number {
  if (timeout === undefined || timeout <= 0n) return 0;
  return timeout > 2_147_483_647n ? 2_147_483_647 : Number(timeout);
}

/** Returns what system views show the caller of a query. */
export function knownBy(knowledge: Context['knowledge']): { readonly knows: Knowledge } | undefined {
  const known = knowledge();
  return known && { knows: known.knows };
}
