/**
 * The reference to compare with: a node that runs already, named by SVC_BENCH_REFERENCE_URL and SVC_BENCH_REFERENCE_PID.
 */
import type { MeasuredServer } from './servers.ts';

/** Form fields of one request are at most 1000 there. */
const BATCH = 400;

export async function startReference(): Promise<MeasuredServer | { readonly missing: string }> {
  const { SVC_BENCH_REFERENCE_URL: url, SVC_BENCH_REFERENCE_PID: pid } = process.env;
  if (url === undefined || pid === undefined) return { missing: 'no reference node is named' };
  const { port, pathname } = new URL(url);
  for (const cache of ['durable']) await fetch(`${url}?cmd=getorcreate&cacheName=${cache}`);
  return {
    name: 'reference',
    port: Number(port),
    path: pathname,
    pid: Number(pid),
    firstAnswerMs: 0,
    batch: BATCH,
    async [Symbol.asyncDispose]() {
      await fetch(`${url}?cmd=destcache&cacheName=durable`);
    },
  };
}
