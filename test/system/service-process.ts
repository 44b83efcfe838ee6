/**
 * Starts the real program in its own process and communicates over real sockets; imports none of its code.
 * The caller stops the service: `await using service = await startService()`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { BUN, MAIN } from './program.ts';

const root = join(import.meta.dir, '../..');
/** The configuration that the recorded cases need. */
export const FIXTURE = join(root, 'test/fixtures/reference.config.ts');

export interface ServiceOptions {
  /** Options by their environment names; other SVC_ variables of this process are not inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Data folder; default: a new one, which is removed at the end. */
  readonly dataDir?: string;
  /** Port; default: a free one. */
  readonly port?: number;
  /** Command that runs the program, for example a shell that sets limits first. */
  readonly under?: readonly string[];
  /** Time limit for the line `listening on`, in ms; default 20 s. */
  readonly startLimitMs?: number;
  /** Program and its first arguments; default: that of all tests. */
  readonly program?: readonly string[];
  readonly cwd?: string;
}

/** A response as a client sees it. */
export interface Answer {
  readonly http: number;
  readonly successStatus: number;
  readonly response: unknown;
  readonly error: string | null;
  readonly sessionToken: string | null;
  readonly text: string;
}

export interface ServiceProcess extends AsyncDisposable {
  /** Full address of the endpoint: `http://127.0.0.1:PORT/svc`. */
  readonly url: string;
  /** The address without the path. */
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** Time from the start of the process to the line `listening on`, in ms. */
  readonly startMs: number;
  /** Returns the output of both streams so far. */
  output(): string;
  /** Sends a command as a query string, `cmd=get&key=a`. */
  send(query: string, init?: RequestInit): Promise<Answer>;
  /** Sends a command and returns its response; throws if it fails. */
  command(query: string): Promise<unknown>;
  /** Sends SIGTERM, waits for the process and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Resolves with the exit code, or null after a signal, when the process has ended. */
  readonly exited: Promise<number | null>;
}

/** A failed start: the output and exit code of the program. */
export class StartFailure extends Error {
  readonly output: string;
  readonly exitCode: number | null;

  constructor(message: string, output: string, exitCode: number | null) {
    super(`${message}\n${output}`);
    this.output = output;
    this.exitCode = exitCode;
  }
}

/** Creates an empty folder. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'svc-system-'));
}

function environment(options: ServiceOptions, dataDir: string, port: number): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|CI$|FORCE_COLOR)/.test(name));
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    NO_COLOR: '1',
    SVC_DATA_DIR: dataDir,
    SVC_HTTP_HOST: '127.0.0.1',
    SVC_HTTP_PORT: String(port),
    ...options.env,
  };
}

/** Decodes a stream and calls `onText` with each chunk. */
async function collect(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }));
}

/** Starts the program and waits until it listens. Throws {@link StartFailure} if it exits first. */
export async function startService(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const ownFolder = options.dataDir === undefined;
  const dataDir = options.dataDir ?? newFolder();
  const requestedPort = options.port ?? freePort();
  const program = options.program ?? [BUN, MAIN];
  const spawnedMs = performance.now();
  const child = Bun.spawn([...(options.under ?? []), ...program, ...(options.args ?? [])], {
    cwd: options.cwd ?? root,
    env: environment(options, dataDir, requestedPort),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  const address = Promise.withResolvers<string>();
  const reading = [child.stdout, child.stderr].map((stream) =>
    collect(stream, (text) => {
      output += text;
      const found = /^.*listening on.*?(https?:\/\/\S+)\s*$/m.exec(output)?.[1];
      if (found !== undefined) address.resolve(found);
    }),
  );
  const exited = child.exited.then(async () => {
    await Promise.all(reading);
    if (ownFolder) rmSync(dataDir, { recursive: true, force: true });
    return child.exitCode;
  });
  const limit = setTimeout(
    () => address.reject(new StartFailure('The service did not listen in time.', output, null)),
    options.startLimitMs ?? 20_000,
  );
  exited.then((code) =>
    address.reject(new StartFailure(`The service exited with ${code} during its start.`, output, code)),
  );
  let url: string;
  try {
    url = await address.promise;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(limit);
  }
  const startMs = performance.now() - spawnedMs;
  const origin = new URL(url).origin;

  const send = (query: string, init?: RequestInit) => sendTo(url, query, init);
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return {
    url,
    origin,
    port: Number(new URL(url).port),
    pid: child.pid,
    dataDir,
    startMs,
    output: () => output,
    send,
    async command(query) {
      const answer = await send(query);
      if (answer.successStatus !== 0) throw new Error(`${query}: ${answer.text}`);
      return answer.response;
    },
    stop,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    exited,
    async [Symbol.asyncDispose]() {
      const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await stop();
      clearTimeout(force);
    },
  };
}

/** Sends a command to an endpoint and reads the envelope. */
export async function sendTo(url: string, query: string, init?: RequestInit): Promise<Answer> {
  const answer = await fetch(`${url}?${query}`, init);
  const text = await answer.text();
  const envelope = JSON.parse(text) as Omit<Answer, 'http' | 'text'>;
  return { ...envelope, http: answer.status, text };
}

/** Builds a query string. */
export function queryOf(params: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(
    Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
  ).toString();
}
