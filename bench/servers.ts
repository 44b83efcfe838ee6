/** The measured servers, each in a separate process on loopback. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dir, '..');
/** A server exits with the benchmark, even if the benchmark crashes. */
const RUNTIME = [process.execPath, '--no-orphans'];

export interface MeasuredServer extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly pid: number;
  /** Time from the start of the process to its first response. */
  readonly firstAnswerMs: number;
  /** Maximum number of entries of one putall. */
  readonly batch: number;
}

/** Starts a process and waits for its line `listening on URL`, then for its first response. */
async function start(
  name: string,
  command: readonly string[],
  env: Record<string, string>,
  cwd = root,
): Promise<MeasuredServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('SVC_')));
  const begunMs = performance.now();
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...inherited, SVC_DATA_DIR: dataDir, SVC_HTTP_HOST: '127.0.0.1', ...env } as Record<string, string>,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const url = await listeningUrl(child.stdout);
  await fetch(`${url}?cmd=version`).then((answer) => answer.text());
  const firstAnswerMs = performance.now() - begunMs;
  const { port, pathname } = new URL(url);
  return {
    name,
    port: Number(port),
    path: pathname,
    pid: child.pid,
    firstAnswerMs,
    batch: 1_000,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the address that the server prints, and keeps draining the pipe. */
function listeningUrl(stream: ReadableStream<Uint8Array>): Promise<string> {
  const found = Promise.withResolvers<string>();
  (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000);
      const url = /listening on.*?(https?:\/\/\S+)\s*$/m.exec(text)?.[1];
      if (url !== undefined) found.resolve(url);
    }
    found.reject(new Error(`The server exited before it listened: ${text}`));
  })();
  return found.promise;
}

export function startBare(): Promise<MeasuredServer> {
  return start('bare', [...RUNTIME, join(import.meta.dir, 'bare-process.ts')], {});
}

/**
 * Starts svc with the caches `durable` and `memory` of bench.config.ts. `options` are more environment variables;
 * `checkout` is the folder of the source, this repository by default.
 */
export function startSvc(
  workers: number,
  suffix = '',
  options: Readonly<Record<string, string>> = {},
  checkout = root,
): Promise<MeasuredServer> {
  const command = [...RUNTIME, join(checkout, 'src/main.ts'), '--config', join(checkout, 'bench/bench.config.ts')];
  const env = { SVC_WORKERS: String(workers), SVC_HTTP_PORT: String(freePort()), ...options };
  return start(`svc workers=${workers}${suffix}`, command, env, checkout);
}

/**
 * svc in front of a cluster; `endpoint` is a node's client port, `checkout` the folder of the source, this repository
 * by default.
 */
export function startClusterSvc(name: string, endpoint: string, checkout = root): Promise<MeasuredServer> {
  const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: endpoint, SVC_HTTP_PORT: String(freePort()) };
  return start(name, [...RUNTIME, join(checkout, 'src/main.ts')], env, checkout);
}

/** Returns a free port. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
