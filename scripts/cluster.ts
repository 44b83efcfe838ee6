/**
 * Starts a trial cluster of Apache Ignite 2.17 on loopback: three nodes with the client ports 10800 to 10802. Ctrl-C
 * stops the nodes and discards their data. Requires a JDK (11 or later) and, for the first start, Maven.
 *
 * Options: --nodes N, --first-port PORT (client port of the first node), --discovery PORT (first internal port).
 */
import { parseArgs } from 'node:util';
import { missingForNodes, type NodePorts, startCluster } from '../test/cluster/ignite-node.ts';

/** Distance between the ports for discovery, communication, the binary protocol and HTTP. */
const PURPOSE_STEP = 10;
const MAX_NODES = PURPOSE_STEP;

function usage(problem: string): never {
  process.stderr.write(`${problem}\nusage: npm run cluster -- [--nodes N] [--first-port PORT] [--discovery PORT]\n`);
  process.exit(2);
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= least && number <= most)) usage(`--${name}: must be a number from ${least} to ${most}, not ${text}`);
  return number;
}

function readOptions() {
  try {
    const { values } = parseArgs({
      args: process.argv.slice(2),
      options: {
        nodes: { type: 'string', default: '3' },
        'first-port': { type: 'string', default: '10800' },
        discovery: { type: 'string', default: '47500' },
      },
    });
    return {
      nodes: numberOf('nodes', values.nodes, 1, MAX_NODES),
      firstPort: numberOf('first-port', values['first-port'], 1024, 65_000),
      discovery: numberOf('discovery', values.discovery, 1024, 65_000),
    };
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

/** Returns whether nothing listens on the port. Otherwise a node would wait for it in vain. */
function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

const missing = missingForNodes();
if (missing !== undefined) {
  process.stderr.write(`cannot start a cluster: ${missing.replace(/^skipped: /, '')}\n`);
  process.exit(1);
}
const { nodes, firstPort, discovery } = readOptions();
const ports = Array.from({ length: nodes }, (_, index): NodePorts => {
  const own = (purpose: number): number => discovery + purpose * PURPOSE_STEP + index;
  return [own(0), own(1), firstPort + index, own(2), own(3)];
});
const taken = ports.flat().filter((port) => !isFree(port));
if (taken.length > 0) {
  process.stderr.write(
    `the ports ${taken.join(', ')} are in use: choose others with --first-port (clients) and --discovery (nodes)\n`,
  );
  process.exit(1);
}

const end = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.resolve());
process.stdout.write(`starting ${nodes} nodes; the first start downloads Ignite, which takes a minute\n`);
const cluster = await startCluster(nodes, { empty: true, ports });
const endpoints = cluster.endpoints.join(',');
process.stdout.write(
  `${nodes} nodes are running; Ctrl-C stops them and discards their data\n` +
    `endpoints: ${endpoints}\n` +
    `try: npm start -- --engine cluster --endpoints ${endpoints}\n`,
);
await end.promise;
await cluster[Symbol.asyncDispose]();
process.stdout.write('the nodes have stopped\n');
