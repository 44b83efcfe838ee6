/** Bytes that arrive over time, such as the body of a request. */
export interface ByteSource {
  /**
   * Returns the next bytes, which belong to the caller; undefined after the last ones. One call at a time. Rejects when
   * the rest cannot be received.
   */
  read(): Promise<Uint8Array | undefined>;
}
