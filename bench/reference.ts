/** Ignite to compare with: a node of Apache Ignite, where Java and Maven are present. */
import { missingForNodes, startCluster } from '../test/cluster/reference-node.ts';
import type { MeasuredServer } from './servers.ts';

/** Form fields of one request are at most 1000 there. */
const BATCH = 400;
/** ModuleRule for a million rows with their indexes, and for grouping and sorting them. */
const MODULE = ['-Dnode.regionMegabytes=2048', '-Xmx2g'];

/** Starts a node and warms its virtual machine up. */
export async function startReference(): Promise<MeasuredServer | { readonly missing: string }> {
  const missing = missingForNodes();
  if (missing !== undefined) return { missing };
  const begunMs = performance.now();
  const cluster = await startCluster(1, { java: MODULE });
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('There is no node.');
  await cluster.rest({ cmd: 'getorcreate', cacheName: 'durable' });
  const { port, pathname } = new URL(node.restUrl);
  return {
    name: 'reference',
    port: Number(port),
    path: pathname,
    pid: node.pid,
    firstAnswerMs: performance.now() - begunMs,
    batch: BATCH,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
