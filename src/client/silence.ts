/** Connections that are lost silently. */
import { systemClock } from '../base/clock.ts';

/** Returns a stream that fails if the body delivers nothing for a while. The reader's own time does not count. */
export function unlessSilent(body: ReadableStream<Uint8Array>, limitMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      let end = (): void => {};
      const silence = new Promise<never>((_resolve, reject) => {
        end = () => reject(new Error('the service is silent'));
      });
      const timer = systemClock.after(limitMs, end);
      try {
        const next = await Promise.race([reader.read(), silence]);
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      } catch (error) {
        void reader.cancel().catch(() => {});
        throw error;
      } finally {
        timer.cancel();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
