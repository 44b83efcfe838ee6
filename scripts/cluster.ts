/**
 * Starts a cluster of Apache Ignite 2.17 on loopback for a trial: three nodes with their client ports at 10800 to
 * 10802, until Ctrl-C. What is stored in it is gone then. Needs a JDK (11 or later), and Maven at the first start.
 *
 * Options: --nodes N, --first-port PORT (clients, one port a node), --discovery PORT (from here on the nodes' own).
 */
import { parseArgs } from 'node:util';
import { missingForNodes, type NodePorts, startCluster } from '../test/cluster/reference-node.ts';

/** The nodes' own ports lie so far apart by purpose: discovery, communication, binary, HTTP. */
const PURPOSE_STEP = 10;
const MOST_NODES = PURPOSE_STEP;

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
      nodes: numberOf('nodes', values.nodes, 1, MOST_NODES),
      firstPort: numberOf('first-port', values['first-port'], 1024, 65_000),
      discovery: numberOf('discovery', values.discovery, 1024, 65_000),
    };
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

/** Something else may have the port: better to say so than to wait for a node that cannot come up. */
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
  process.stderr.write(`no cluster can be started here: ${missing.replace(/^skipped: /, '')}\n`);
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
process.stdout.write(`starting ${nodes} nodes; the first time their jars are fetched too, which takes a minute\n`);
const cluster = await startCluster(nodes, { empty: true, ports });
const endpoints = cluster.endpoints.join(',');
process.stdout.write(
  `${nodes} nodes run; what is stored in them is gone when they end (Ctrl-C)\n` +
    `endpoints: ${endpoints}\n` +
    `try: npm start -- --engine cluster --endpoints ${endpoints}\n`,
);
await end.promise;
await cluster[Symbol.asyncDispose]();
process.stdout.write('the nodes have ended\n');
