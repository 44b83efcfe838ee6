/** Statements for which a slow machine has no free thread. */
import type { Answer, ServiceProcess } from '../system/service-process.ts';

/**
 * The error of a statement that waited too long for a thread on a slow machine. It has not begun, so it can be
 * repeated.
 */
export const BUSY = /^All statement processes are busy/;

/** Times that a request waits for a thread; each takes 10 s. */
const TRIES = 5;

/** Sends a request, and repeats it while no thread is free for it. */
export async function sendWhenFree(
  service: ServiceProcess,
  query: string,
  limitMs: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  for (let left = TRIES; ; left--) {
    const answer = await service.send(query, { headers, signal: AbortSignal.timeout(limitMs) });
    if (left === 0 || !BUSY.test(answer.error ?? '')) return answer;
  }
}
