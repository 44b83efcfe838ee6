/**
 * Runs classes of Apache Ignite 2.17's own REST tests against a service in front of the nodes that the tests start.
 * Requires a JDK 11 or later and Maven; jars and classes are built once, in `build/asf`.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForNodes, OPENED_PACKAGES } from '../cluster/ignite-node.ts';
import { outputOf } from '../ended-program.ts';
import { freePort } from '../free-port.ts';
import { type ServiceProcess, startService } from '../system/service-process.ts';

const root = join(import.meta.dir, '../..');
const build = join(root, 'build/asf');
const START_LIMIT_MS = 90_000;

/** Options of the service that each class of tests needs, besides those of {@link COMMON}. */
export const CLASSES = {
  unsigned: {},
  signed: { SVC_SECRET_KEY: 'secret-key' },
  token: authenticated(),
  credentials: authenticated(),
  array: { SVC_REST_GETALL_AS_ARRAY: 'true' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type ClassName = keyof typeof CLASSES;

const COMMON = {
  SVC_ENGINE: 'cluster',
  SVC_NAME: 'ignite',
  SVC_COMPATIBILITY: 'reference',
  // The tests look into the near cache of the first node.
  SVC_ENGINE_CLUSTER_PARTITION_AWARENESS: 'false',
};

function authenticated(): Readonly<Record<string, string>> {
  return { SVC_AUTHENTICATION: 'true', SVC_ENGINE_CLUSTER_USER: 'ignite', SVC_ENGINE_CLUSTER_PASSWORD: 'ignite' };
}

export interface TestResult {
  /** Name of the test's method. */
  readonly method: string;
  /** The method with its parameter: `testGet[useBinaryArrays = true]`. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'ignored';
  readonly ms: number;
  readonly failure: string;
}

export interface RunOptions {
  /** Regular expression of the names of the tests; default: all. */
  readonly tests?: string;
  /** Folder that keeps the logs of the nodes and of the service. */
  readonly logs?: string;
  readonly limitMs: number;
}

/** Returns why the suite cannot run here, or undefined if it can. */
export const missingForSuite = missingForNodes;

/** Runs the tests of a class. Throws when the suite cannot be built or reports nothing. */
export async function runClass(name: ClassName, options: RunOptions): Promise<readonly TestResult[]> {
  await buildSuite();
  const work = mkdtempSync(join(tmpdir(), 'svc-asf-'));
  const results = join(work, 'results');
  const log = join(work, 'nodes.log');
  const target = freePort();
  const clients = freePort();
  const suite = Bun.spawn(javaCommand({ name, results, target, clients, http: freePort(), ...options }), {
    cwd: work,
    stdin: 'ignore',
    stdout: Bun.file(log),
    stderr: Bun.file(log),
    timeout: options.limitMs,
    killSignal: 'SIGKILL',
  });
  let service: ServiceProcess | undefined;
  try {
    if (await isListening(clients, suite.exited)) {
      const env = { ...COMMON, SVC_ENDPOINTS: `127.0.0.1:${clients}`, ...CLASSES[name] };
      service = await startService({ env, port: target });
    }
    await suite.exited;
    if (!existsSync(results)) throw new Error(`The tests did not run:\n${readFileSync(log, 'utf8').slice(-4_000)}`);
    return parseResults(readFileSync(results, 'utf8'));
  } finally {
    suite.kill('SIGKILL');
    await suite.exited;
    await service?.kill();
    if (options.logs !== undefined) {
      mkdirSync(options.logs, { recursive: true });
      cpSync(log, join(options.logs, `${name}-nodes.log`));
      writeFileSync(join(options.logs, `${name}-service.log`), service?.output() ?? '');
    }
    rmSync(work, { recursive: true, force: true });
  }
}

interface Launch {
  readonly name: ClassName;
  readonly tests?: string;
  readonly results: string;
  readonly target: number;
  readonly clients: number;
  readonly http: number;
}

function javaCommand(launch: Launch): string[] {
  const properties: Record<string, string> = {
    IGNITE_HOME: join(build, 'home'),
    'java.net.preferIPv4Stack': 'true',
    'suite.class': launch.name,
    'suite.tests': launch.tests ?? '',
    'suite.results': launch.results,
    'suite.target': String(launch.target),
    'suite.clients': String(launch.clients),
    'suite.http': String(launch.http),
  };
  return [
    'java',
    '-Xmx1g',
    '-ea',
    ...OPENED_PACKAGES.map((each) => `--add-opens=${each}=ALL-UNNAMED`),
    ...Object.entries(properties).map(([key, value]) => `-D${key}=${value}`),
    '-cp',
    `${join(build, 'classes')}:${join(build, 'jars')}/*`,
    'svc.asf.RestSuite',
  ];
}

function parseResults(text: string): TestResult[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [outcome = '', name = '', ms = '', failure = ''] = line.split('\t');
      return {
        method: name.replace(/\[.*/, ''),
        name,
        outcome: outcome as TestResult['outcome'],
        ms: Number(ms),
        failure,
      };
    });
}

/** Resolves to true when something listens on the port; to false when `ended` resolves first. */
async function isListening(port: number, ended: Promise<unknown>): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!isOver && Date.now() < deadline) {
    if (await accepts(port)) return true;
    await Bun.sleep(100);
  }
  return false;
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

/** Downloads the jars, unpacks the tests' configuration and compiles the launcher, unless nothing has changed. */
async function buildSuite(): Promise<void> {
  const mark = join(build, 'ready');
  const inputs = ['pom.xml', 'RestSuite.java'].map((name) => join(import.meta.dir, name));
  const newest = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  if (existsSync(mark) && statSync(mark).mtimeMs >= newest) return;
  const [jars, classes, home] = [join(build, 'jars'), join(build, 'classes'), join(build, 'home')];
  for (const folder of [jars, classes, home]) mkdirSync(folder, { recursive: true });
  const copy = ['mvn', '-q', '-B', '-f', join(import.meta.dir, 'pom.xml'), 'dependency:copy-dependencies'];
  await outputOf([...copy, `-DoutputDirectory=${jars}`], { cwd: build });
  const [resources, configuration] = ['modules/clients/src/test/resources', 'modules/core/src/test'].map((path) =>
    join(home, path),
  ) as [string, string];
  for (const folder of [resources, configuration]) mkdirSync(folder, { recursive: true });
  await outputOf(['jar', 'xf', join(jars, 'ignite-clients-2.17.0-tests.jar'), 'jetty'], { cwd: resources });
  // The nodes' configuration names this list of classes; no test needs an entry.
  mkdirSync(join(configuration, 'config'), { recursive: true });
  writeFileSync(join(configuration, 'config/class_list_exploit_included.txt'), '');
  await outputOf(['javac', '-nowarn', '-cp', `${jars}/*`, '-d', classes, join(import.meta.dir, 'RestSuite.java')], {
    cwd: build,
  });
  writeFileSync(mark, '');
}
