/** Several commands in one request. Failed commands are not failed requests, which the browser would log. */
import type { ErrorCode } from '../../client/commands.ts';
import { call, FORBIDDEN, type Json, type Parameters, SvcError } from './request.ts';

export interface BatchResult {
  readonly successStatus: number;
  readonly error: string | { readonly message: string } | null;
  readonly errorCode?: ErrorCode;
  /** Null if the command has failed or returns null. */
  readonly response: Json;
}

/** Executes commands and returns their results in order. Throws SvcError, even if the user may execute none of them. */
export async function callBatch(
  commands: readonly Parameters[],
  signal?: AbortSignal,
): Promise<readonly BatchResult[]> {
  if (commands.length === 0) return [];
  const results = (await call('batch', { commands }, signal)) as unknown as readonly BatchResult[];
  const [first] = results;
  if (first !== undefined && results.every(({ errorCode }) => errorCode === 'PERMISSION_DENIED')) {
    const { error, errorCode } = first;
    const message = typeof error === 'object' ? (error?.message ?? '') : error;
    throw new SvcError(message, 'batch', 1, FORBIDDEN, null, { code: errorCode });
  }
  return results;
}
