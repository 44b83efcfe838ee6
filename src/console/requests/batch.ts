/** Several commands in one request. Those that fail are no failed request, which the browser would log. */
import { call, FORBIDDEN, type Json, type Parameters, type ReportedError, RequestError } from './request.ts';

export interface BatchResult {
  readonly successStatus: number;
  readonly error: string | ReportedError | null;
  readonly errorCode?: string;
  /** Null: the command has failed, or this is what it returns. */
  readonly response: Json;
}

/**
 * Executes commands, and returns what came of each, in order. Throws RequestError, also if the user may execute none of
 * them.
 */
export async function callBatch(
  commands: readonly Parameters[],
  signal?: AbortSignal,
): Promise<readonly BatchResult[]> {
  if (commands.length === 0) return [];
  const results = (await call('batch', { commands }, signal)) as unknown as readonly BatchResult[];
  const [first] = results;
  if (first !== undefined && results.every(({ errorCode }) => errorCode === 'PERMISSION_DENIED')) {
    const { error, errorCode } = first;
    throw new RequestError(typeof error === 'object' ? (error?.message ?? '') : error, FORBIDDEN, errorCode);
  }
  return results;
}
