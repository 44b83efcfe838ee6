/** The properties of each measured system, and how its processes start and end. */
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRequest } from '../requests.ts';
import type { Workload } from '../workload.ts';
import type { Step } from './operations.ts';

export const SYSTEMS = ['svc', 'ignite', 'webdis', 'pocketbase', 'etcd', 'rqlite'] as const;
export type SystemName = (typeof SYSTEMS)[number];

/** `synced`: every acknowledged write is synced to disk; `unsynced`: no write waits for a disk. */
export const DURABILITIES = ['synced', 'unsynced'] as const;
export type Durability = (typeof DURABILITIES)[number];

export interface MeasuredSystem extends AsyncDisposable {
  readonly name: SystemName;
  /** Name and version, as the report shows them. */
  readonly title: string;
  /** How its durability is configured. */
  readonly setting: string;
  readonly port: number;
  /** The processes whose CPU time and memory count, with their children. */
  readonly pids: readonly [number] | readonly [number, number];
  /** The kinds of steps that it can execute. */
  readonly steps: ReadonlySet<Step['kind']>;
  /** Stores the entries and counters of a workload. */
  fill(workload: Workload): Promise<void>;
  /** Creates the tables of the join. */
  fillTables(workload: Workload): Promise<void>;
  /** Returns the request of a step; its `success` distinguishes a correct answer from a wrong one. */
  request(step: Step): BenchRequest;
  /** Removes leftovers of measurements, such as old versions. */
  tidy?(): Promise<void>;
}

/** Why a system is not measured, and what to do. */
export interface Missing {
  readonly missing: string;
}

/** The input of a starter. */
export interface StartOptions {
  readonly durability: Durability;
  /** Threads that serve HTTP, where a system has such a setting. */
  readonly threads: number;
  /** Paths of programs that are not on the PATH. */
  readonly programs: Readonly<Record<'pocketbase' | 'rqlite', string | undefined>>;
}

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

/** Returns the path of a program, or undefined if there is none. */
export function programPath(name: string): string | undefined {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? undefined;
}

/** Processes of a system with a separate folder; disposing of it ends the processes and removes the folder. */
export class Processes implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-peers-'));
  readonly #children: Bun.Subprocess[] = [];

  /** Starts a process, which the kernel ends with this one; its output is a file of the folder. */
  start(command: readonly string[], env: Readonly<Record<string, string>> = {}): number {
    const guard = programPath('setpriv');
    const guarded = guard === undefined ? command : [guard, '--pdeathsig', 'KILL', '--', ...command];
    const log = openSync(join(this.folder, 'output.log'), 'a');
    const child = Bun.spawn([...guarded], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: log,
      stderr: log,
    });
    this.#children.push(child);
    return child.pid;
  }

  /** Repeats an action until it succeeds; throws with the output of the processes when one has ended. */
  async until(action: () => Promise<unknown>): Promise<void> {
    for (const endMs = performance.now() + START_LIMIT_MS; ; ) {
      try {
        await action();
        return;
      } catch (error) {
        const hasEnded = this.#children.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
        if (hasEnded || performance.now() > endMs) {
          const output = readFileSync(join(this.folder, 'output.log'), 'utf8').slice(-2_000);
          throw new Error(`${error instanceof Error ? error.message : error}\n${output}`);
        }
        await Bun.sleep(50);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.toReversed()) {
      child.kill('SIGTERM');
      if ((await Promise.race([child.exited, Bun.sleep(STOP_LIMIT_MS)])) === undefined) child.kill('SIGKILL');
      await child.exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end and returns its output, standard output first. */
export async function outputOf(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${errors}${output}`);
  return output + errors;
}

/** Sends a setup request and returns the body; throws unless it succeeds. */
export async function send(
  port: number,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = body === undefined ? 'GET' : 'POST',
): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
  const init =
    body === undefined ? { method, headers } : { method, body: text, headers: { ...headers, 'content-type': type } };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const received = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${received.slice(0, 500)}`);
  return received;
}

/** Calls an action with the numbers of each batch of `count`. */
export async function inBatches(
  count: number,
  batch: number,
  action: (numbers: readonly number[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += batch) {
    await action(Array.from({ length: Math.min(batch, count - from) }, (_, at) => from + at));
  }
}
