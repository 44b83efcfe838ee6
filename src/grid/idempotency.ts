/** Requests that are executed at most once, however often they are sent (docs/idempotency.md). */
import { gridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';

/** An idempotency key and the request that it was sent with. */
export interface IdempotencyKey {
  /** Identifies the key and its owner. */
  readonly id: string;
  /** Identifies the request. */
  readonly fingerprint: string;
  /** Whose share of the stored keys it uses. */
  readonly tenant: string;
  /** When the key is forgotten. */
  readonly expiresAtMs: number;
  /**
   * Id of a batch's key, for a command that was sent to the engine together with the key's {@link Idempotency.begin}.
   * Without that key, the command is refused.
   */
  readonly batch?: string;
}

/** The object that a request changes. */
export type IdempotencyTarget =
  | { readonly kind: 'cache'; readonly name: string }
  | { readonly kind: 'counter' }
  | { readonly kind: 'statement' };

/**
 * Stores the results of requests by idempotency key. A change whose result is stored in the same commit is a call with
 * `CallContext.once`; the methods here are for all others. Every method throws IDEMPOTENCY_KEY_REUSED for a key that
 * was used with a different request, and IDEMPOTENCY_FULL.
 */
export interface Idempotency {
  /** Reports whether a change of the target and its result can commit together. Otherwise use {@link begin}. */
  commits(target: IdempotencyTarget): MaybePromise<boolean>;
  /**
   * Reports whether changes of the target may follow the {@link begin} of their batch's key without waiting for it.
   * They name the key as `IdempotencyKey.batch`. Key and changes then share a commit, and are refused together.
   */
  sharesCommit(target: IdempotencyTarget): boolean;
  /**
   * Records that a request begins. Returns the response of an earlier request that has ended. `answer` is stored for
   * good, null until {@link complete} or {@link discard}. Throws IDEMPOTENCY_KEY_IN_USE for a request that is still
   * running, and OUTCOME_UNKNOWN for one that began and whose outcome is unknown.
   */
  begin(key: IdempotencyKey, answer: string | null): Promise<string | undefined>;
  /** Stores the response of a request that began; undefined if its outcome is unknown. */
  complete(key: IdempotencyKey, answer: string | undefined): Promise<void>;
  /** Forgets a request that began and changed nothing. */
  discard(key: IdempotencyKey): Promise<void>;
}

/** The stored record of a request. */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** null if the request has begun and its change commits separately. */
  readonly answer: string | null;
}

/** Separates the parameters' fingerprint from their types' fingerprint. */
export const FINGERPRINT_SEPARATOR = '.';

/** Throws IDEMPOTENCY_KEY_REUSED if the stored data belongs to a different request. */
export function checkSameRequest({ fingerprint }: IdempotencyRecord, key: IdempotencyKey): void {
  if (fingerprint === key.fingerprint) return;
  // Records of earlier versions have no types.
  const isUntyped = !fingerprint.includes(FINGERPRINT_SEPARATOR);
  if (!isUntyped || !key.fingerprint.startsWith(`${fingerprint}${FINGERPRINT_SEPARATOR}`))
    throw gridError('IDEMPOTENCY_KEY_REUSED');
}

/**
 * Returns the stored response of a request. Throws IDEMPOTENCY_KEY_REUSED and, for a request that has begun,
 * IDEMPOTENCY_KEY_IN_USE if it is still running and OUTCOME_UNKNOWN if not.
 */
export function answerOf(kept: IdempotencyRecord, key: IdempotencyKey, isRunning: boolean): string {
  checkSameRequest(kept, key);
  if (kept.answer !== null) return kept.answer;
  throw isRunning ? gridError('IDEMPOTENCY_KEY_IN_USE') : gridError('BEGAN_ONCE');
}

/** Returns the text of a response that may be stored. Throws LIMIT_EXCEEDED. */
export function checkedAnswer(answer: string, limit: number): string {
  if (answer.length <= limit) return answer;
  throw gridError(
    'LIMIT_EXCEEDED',
    'characters of a result with an Idempotency-Key',
    limit,
    answer.length,
    'idempotencyAnswerCharacters',
  );
}
