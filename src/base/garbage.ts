/** Collects the garbage of the thread after work that leaves much of it: the runtime sizes its heap by the machine. */
import { edenGC, fullGC, heapSize } from 'bun:jsc';

/** Bytes of old garbage, or of further objects in use, at which everything is collected. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Returns what collects the garbage of this thread. Most of it is young, and is collected fast. Other requests of the
 * thread wait for a full collection, which is made only if the heap has kept the rest.
 */
export function garbageCollector(): () => void {
  let bytesBefore = heapSize();
  return () => {
    edenGC();
    if (heapSize() < bytesBefore + KEPT_BYTES) return;
    fullGC();
    bytesBefore = heapSize();
  };
}
