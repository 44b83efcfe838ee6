/**
 * Starts nodes of Apache Ignite 2.17 on loopback. Requires Java 11 or later and Maven; jars and classes are built once,
 * in `build/cluster-node`. The caller disposes of the cluster: `await using`.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '../ended-program.ts';
import { freePort } from '../free-port.ts';

const root = join(import.meta.dir, '../..');
const source = join(import.meta.dir, 'node');
const build = join(root, 'build/cluster-node');
const CLASSES = ['RefNode.java', 'Shapes.java'];
const START_LIMIT_MS = 90_000;
const PORTS_OF_A_NODE = 5;

/** Java packages that the nodes access by reflection. */
export const OPENED_PACKAGES = [
  'java.base/java.io',
  'java.base/java.lang',
  'java.base/java.lang.invoke',
  'java.base/java.math',
  'java.base/java.net',
  'java.base/java.nio',
  'java.base/java.time',
  'java.base/java.util',
  'java.base/java.util.concurrent',
  'java.base/java.util.concurrent.atomic',
  'java.base/java.util.concurrent.locks',
  'java.base/jdk.internal.access',
  'java.base/jdk.internal.misc',
  'java.base/sun.nio.ch',
  'java.base/sun.reflect.generics.reflectiveObjects',
  'java.base/sun.util.calendar',
  'java.management/com.sun.jmx.mbeanserver',
  'java.sql/java.sql',
  'jdk.internal.jvmstat/sun.jvmstat.monitor',
  'jdk.management/com.sun.management.internal',
];

/** Returns the reason why nodes cannot be started here, or undefined if they can. */
export function missingForNodes(): string | undefined {
  if (Bun.which('java') === null || Bun.which('javac') === null) {
    return 'skipped: no Java found; install a JDK 11 or later (for instance openjdk-17-jdk) and put it on the PATH';
  }
  if (Bun.which('mvn') === null && !existsSync(join(build, 'ready'))) {
    return 'skipped: no Maven found; install it (for instance the package maven) and put mvn on the PATH';
  }
  return undefined;
}

/**
 * Modules on the class path of a node: those of the pom, the same without the optional module ignite-indexing, or
 * ignite-core alone of the next version, which has no HTTP interface either.
 */
export type NodeModules = 'all' | 'without indexing' | 'core of 2.18';

export interface NodeOptions {
  /** Default: all. */
  readonly modules?: NodeModules;
  readonly backups?: number;
  readonly persistent?: boolean;
  /** User and password ignite; implies persistence. */
  readonly authentication?: boolean;
  /** Concurrent tasks per connection; 0, as by default, allows no tasks. */
  readonly tasks?: number;
  /** PKCS12 file with the password `password`; enables TLS on the client port. */
  readonly keystore?: string;
  /** Omits the caches of the tests. */
  readonly empty?: boolean;
  /** Adds the template `primary` of caches whose backups answer no reads, and omits the caches of the tests. */
  readonly primaryReads?: boolean;
  /** Adds the cache `shapes`, with a value of each of many Java classes. */
  readonly shapes?: boolean;
  /** The ports of each node, in the order of {@link NodePorts}. Default: free ones. */
  readonly ports?: readonly NodePorts[];
  /** Address that nodes listen on for clients; they report 127.0.0.1 all the same, where a proxy may listen. */
  readonly clientHost?: string;
  /** Additional arguments of Java. */
  readonly java?: readonly string[];
}

/** Discovery, communication, clients, binary, HTTP. */
export type NodePorts = readonly [number, number, number, number, number];

export interface TestNode {
  readonly index: number;
  readonly name: string;
  /** Port for clients. */
  readonly port: number;
  /** Client address as `127.0.0.1:PORT`. */
  readonly endpoint: string;
  /** Address of the node's own HTTP interface, `http://127.0.0.1:PORT/ignite`. */
  readonly restUrl: string;
  /** Process id; 0 while the node does not run. */
  readonly pid: number;
  /** Whether the process runs, or stands still. */
  readonly isRunning: boolean;
  /** Returns the node's output so far. */
  output(): string;
  /** Kills the node like a crash. */
  kill(): Promise<void>;
  /** Starts the node again on the same ports and data. */
  start(): Promise<void>;
}

export interface TestCluster extends AsyncDisposable {
  readonly nodes: readonly TestNode[];
  /** The client addresses of the nodes as `127.0.0.1:PORT`. */
  readonly endpoints: readonly string[];
  /** The same, parsed. */
  readonly addresses: ReadonlyArray<{ readonly host: string; readonly port: number }>;
  /** Sends a command to a node's own HTTP interface; by default the first node's. */
  rest(parameters: Readonly<Record<string, string>>, node?: number): Promise<RestAnswer>;
}

export interface RestAnswer {
  readonly successStatus: number;
  readonly affinityNodeId?: string | null;
  readonly error: string | null;
  readonly response: unknown;
}

/** Starts a cluster of `count` nodes. Throws with the nodes' output when they do not start. */
export async function startCluster(count: number, options: NodeOptions = {}): Promise<TestCluster> {
  await buildNode();
  const classPath = await classPathOf(options.modules ?? 'all');
  const work = mkdtempSync(join(tmpdir(), 'svc-cluster-'));
  const ports = options.ports?.flat() ?? Array.from({ length: count * PORTS_OF_A_NODE }, freePort);
  const peers = Array.from({ length: count }, (_, index) => `127.0.0.1:${ports[index * PORTS_OF_A_NODE]}`);
  const nodes = peers.map((_, index) => {
    const own = ports.slice(index * PORTS_OF_A_NODE, (index + 1) * PORTS_OF_A_NODE);
    return new JavaNode(index, own, peers, work, classPath, options, index === count - 1);
  });
  const cluster = {
    nodes,
    endpoints: nodes.map((node) => node.endpoint),
    addresses: nodes.map((node) => ({ host: '127.0.0.1', port: node.port })),
    async rest(parameters: Readonly<Record<string, string>>, node = 0): Promise<RestAnswer> {
      const answer = await fetch(`${nodes[node]?.restUrl}?${new URLSearchParams(parameters)}`);
      return (await answer.json()) as RestAnswer;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(work, { recursive: true, force: true });
    },
  };
  try {
    for (const node of nodes) await node.start();
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

class JavaNode implements TestNode {
  readonly index: number;
  readonly name: string;
  readonly port: number;
  readonly endpoint: string;
  readonly restUrl: string;
  readonly #arguments: readonly string[];
  readonly #work: string;
  readonly #classPath: string;
  readonly #logFile: string;
  readonly #isLast: boolean;
  readonly #fills: boolean;
  #process: ReturnType<typeof Bun.spawn> | undefined;
  #wasUp = false;

  constructor(
    index: number,
    ports: readonly number[],
    peers: readonly string[],
    work: string,
    classPath: string,
    options: NodeOptions,
    isLast: boolean,
  ) {
    const [, , client = 0, , http] = ports;
    this.index = index;
    this.name = `node${index}`;
    this.port = client;
    this.endpoint = `127.0.0.1:${client}`;
    this.restUrl = `http://127.0.0.1:${http}/ignite`;
    this.#isLast = isLast;
    this.#fills = options.empty !== true && options.primaryReads !== true;
    this.#work = work;
    this.#classPath = classPath;
    this.#logFile = join(work, `${this.name}.log`);
    const properties: Record<string, string> = {
      'node.name': this.name,
      'node.ports': ports.join(','),
      'node.peers': peers.join(','),
      'node.work': join(work, this.name),
      'node.backups': String(options.backups ?? 0),
      'node.persistent': String(options.persistent === true),
      'node.authentication': String(options.authentication === true),
      'node.tasks': String(options.tasks ?? 100),
      'node.primaryReads': String(options.primaryReads === true),
      'node.empty': String(options.empty === true),
      'node.shapes': String(options.shapes === true),
      ...(options.keystore === undefined ? {} : { 'node.keystore': options.keystore }),
      ...(options.clientHost === undefined ? {} : { 'node.clientHost': options.clientHost }),
      IGNITE_UPDATE_NOTIFIER: 'false',
      IGNITE_NO_ASCII: 'true',
      IGNITE_QUIET: 'true',
      'user.timezone': 'UTC',
    };
    this.#arguments = [
      '-Xms128m',
      '-Xmx800m',
      '-XX:+UseG1GC',
      ...OPENED_PACKAGES.map((each) => `--add-opens=${each}=ALL-UNNAMED`),
      ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
      ...(options.java ?? []),
    ];
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  output(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : '';
  }

  async start(): Promise<void> {
    const seen = this.output().length;
    const log = openSync(this.#logFile, 'a');
    // At the first start, the last node activates the cluster and fills the caches once all nodes are present.
    const first = !this.#wasUp && this.#isLast ? ['-Dnode.activates=true', `-Dnode.fills=${this.#fills}`] : [];
    const command = ['java', ...this.#arguments, ...first, '-cp', this.#classPath, 'RefNode'];
    // The working folder, with whatever a node writes there, is removed with the cluster.
    const child = Bun.spawn(command, { cwd: this.#work, stdin: 'ignore', stdout: log, stderr: log });
    this.#process = child;
    const deadline = Date.now() + START_LIMIT_MS;
    while (!/^READY$/m.test(this.output().slice(seen))) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`${this.name} did not start:\n${this.output().slice(seen).slice(-4_000)}`);
      }
      await Bun.sleep(100);
    }
    this.#wasUp = true;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child) return;
    child.kill('SIGKILL');
    await child.exited;
  }
}

/** Returns the folder with the jars of Ignite. */
export async function igniteJars(): Promise<string> {
  await buildNode();
  return join(build, 'jars');
}

/** Downloads what the modules need beyond the pom of the node, once, and returns their class path. */
async function classPathOf(modules: NodeModules): Promise<string> {
  const classes = join(build, 'classes');
  const jars = join(build, 'jars');
  switch (modules) {
    case 'all':
      return `${classes}:${jars}/*`;
    case 'without indexing': {
      const kept = readdirSync(jars).filter((name) => !/^(ignite-indexing|h2|lucene-)/.test(name));
      return [classes, ...kept.map((name) => join(jars, name))].join(':');
    }
    case 'core of 2.18': {
      const core = join(build, 'core-2.18');
      const mark = join(core, 'ready');
      if (!existsSync(mark)) {
        await copyJars(join(source, 'core-2.18.pom.xml'), core);
        writeFileSync(mark, '');
      }
      return `${classes}:${core}/*`;
    }
  }
}

async function copyJars(pom: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const copy = ['mvn', '-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
  await outputOf(copy, { cwd: build });
}

/** Downloads the jars and compiles the node's classes, unless that was done after their last change. */
async function buildNode(): Promise<void> {
  const mark = join(build, 'ready');
  const inputs = ['pom.xml', ...CLASSES].map((name) => join(source, name));
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(mark) && statSync(mark).mtimeMs >= newest) return;
  const [jars, classes] = [join(build, 'jars'), join(build, 'classes')];
  mkdirSync(classes, { recursive: true });
  await copyJars(join(source, 'pom.xml'), jars);
  const sources = CLASSES.map((name) => join(source, name));
  await outputOf(['javac', '-nowarn', '-cp', `${jars}/*`, '-d', classes, ...sources], { cwd: build });
  writeFileSync(mark, '');
}
