/** Errors of object stores. No message contains credentials. */

/** The object store cannot be used, possibly only temporarily. */
export class ObjectStoreError extends Error {
  override readonly name: string = 'ObjectStoreError';
}

/** There are no credentials. */
export class CredentialsMissing extends ObjectStoreError {
  override readonly name = 'CredentialsMissing';
}

/** An unsuccessful response from the object store. */
export class S3Failure extends ObjectStoreError {
  override readonly name = 'S3Failure';
  readonly status: number;
  /** The store's code, such as `SlowDown`. */
  readonly code: string;

  constructor(action: string, status: number, code: string, message: string) {
    super(`the object store answered ${action} with ${status}${code && ` ${code}`}${message && `: ${message}`}`);
    this.status = status;
    this.code = code;
  }
}

/** Reports whether another attempt may succeed after an error of a request. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof S3Failure)) return !(error instanceof CredentialsMissing);
  // 409: another request for the same key is in progress.
  return error.status >= 500 || error.status === 429 || error.status === 409 || error.status === 408;
}
