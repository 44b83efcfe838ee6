/** Sends an iterator's output as a request body. */

/** Returns the body. `failed` is called with the error that ended the iterator, if any. */
export function bodyOf(
  bytes: AsyncGenerator<Uint8Array>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await bytes.next();
      } catch (error) {
        failed(error);
        controller.error(error);
        return;
      }
      try {
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      } catch {
        // The service has already responded, and the stream is closed: only its response counts.
        await bytes.return(undefined);
      }
    },
    async cancel() {
      await bytes.return(undefined);
    },
  });
}
