/** A node of Apache Ignite for comparison; requires Java and Maven. */
import { missingForNodes, type NodeOptions, startCluster } from '../test/cluster/ignite-node.ts';
import type { MeasuredServer } from './servers.ts';

/** Ignite accepts at most 1,000 form fields in a request. */
const BATCH = 400;
/** Enough memory for a million rows with indexes, and to group and sort them. */
const MODULE = ['-Dnode.regionMegabytes=2048', '-Xmx2g'];

/** Starts a node and warms up its virtual machine. Its data is in memory unless the options say otherwise. */
export async function startIgnite(options: NodeOptions = {}): Promise<MeasuredServer | { readonly missing: string }> {
  const missing = missingForNodes();
  if (missing !== undefined) return { missing };
  const begunMs = performance.now();
  const cluster = await startCluster(1, { ...options, java: [...MODULE, ...(options.java ?? [])] });
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('There is no node.');
  await cluster.rest({ cmd: 'getorcreate', cacheName: 'durable' });
  const { port, pathname } = new URL(node.restUrl);
  return {
    name: 'Apache Ignite',
    port: Number(port),
    path: pathname,
    pid: node.pid,
    firstAnswerMs: performance.now() - begunMs,
    batch: BATCH,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
