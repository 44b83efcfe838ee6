/** Bytes that arrive over time, such as a request body. */
export interface ByteSource {
  /**
   * Returns the next bytes, which the caller then owns, or undefined at the end. One call at a time. Rejects if the
   * rest cannot be received.
   */
  read(): Promise<Uint8Array | undefined>;
}
