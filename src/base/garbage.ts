/** Collects the thread's garbage after work that leaves much of it: the runtime sizes its heap by the machine. */
import { edenGC, fullGC, heapSize } from 'bun:jsc';

/** Growth in bytes, of old garbage or of objects in use, that triggers a full collection. */
const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Returns a function that collects this thread's garbage. Most of it is young and is collected fast. A full collection
 * blocks the thread's other requests, so it runs only if the heap has kept the rest.
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
