/** The process that runs tasks, one step at a time: the same program, started with a hidden argument. */
import path from 'node:path';
import { text, type Value } from '../../values/value.ts';
import { BUILT_IN_TASKS } from './built-in-tasks.ts';
import { resultValue } from './result-value.ts';
import type { MappedTask, TaskCaches, TaskContext, TaskDeclarations, TaskFunction } from './task-declaration.ts';
import type {
  FailedPhase,
  FromProcess,
  GridPage,
  GridRequest,
  StepResult,
  TaskStep,
  ToProcess,
} from './task-messages.ts';

/** Returns the tasks that a configuration file declares. */
export type TaskLoader = (configuration: string) => Promise<TaskDeclarations>;

/** Serves the parent process until it disconnects. */
export function runTaskProcess(load: TaskLoader): void {
  const send = (message: FromProcess) => void process.send?.(message);
  const runner = new StepRunner(send, load);
  process.on('message', (message) => runner.receive(message as ToProcess));
  process.on('disconnect', () => process.exit(0));
  // The parent ends this process: a signal to the process group must not interrupt a task during an orderly shutdown.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  send({ type: 'listening' });
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

class StepRunner {
  readonly #send: (message: FromProcess) => void;
  readonly #load: TaskLoader;
  readonly #waiting = new Map<number, Waiting>();
  #declared: Promise<TaskDeclarations> = Promise.resolve({});
  #folder = '.';
  #abort = new AbortController();
  #requestCount = 0;

  constructor(send: (message: FromProcess) => void, load: TaskLoader) {
    this.#send = send;
    this.#load = load;
  }

  receive(message: ToProcess): void {
    switch (message.type) {
      case 'start':
        if (message.configuration !== undefined) {
          this.#folder = path.dirname(message.configuration);
          this.#declared = this.#load(message.configuration);
          // The first step that needs the declarations reports the error.
          this.#declared.catch(() => {});
        }
        return;
      case 'step':
        void this.#perform(message.step);
        return;
      case 'cancel':
        this.#abort.abort();
        return;
      case 'response':
        this.#remove(message.requestId)?.resolve(message.value);
        return;
      case 'error':
        this.#remove(message.requestId)?.reject(new Error(message.text));
    }
  }

  #remove(requestId: number): Waiting | undefined {
    const waiting = this.#waiting.get(requestId);
    this.#waiting.delete(requestId);
    return waiting;
  }

  async #perform(step: TaskStep): Promise<void> {
    this.#abort = new AbortController();
    let phase: FailedPhase = 'load';
    try {
      const task = await this.#find(step.task);
      phase = step.phase === 'begin' ? (typeof task === 'function' ? 'job' : 'map') : step.phase;
      const result = await runStep(task, step, this.#context(step));
      this.#send({ type: 'done', result });
    } catch (error) {
      this.#send({ type: 'failed', phase, text: error instanceof Error ? error.message : String(error) });
    }
  }

  async #find(name: string): Promise<TaskFunction | MappedTask> {
    const own = (await this.#declared)[name] ?? BUILT_IN_TASKS[name];
    const task: unknown = typeof own === 'string' ? await this.#importDefault(own) : own;
    if (typeof task === 'function') return task as TaskFunction;
    if (isMapped(task)) return task;
    throw new Error(`The task ${name} is neither a function nor an object with map, job and reduce`);
  }

  async #importDefault(module: string): Promise<unknown> {
    const loaded: { default?: unknown } = await import(path.resolve(this.#folder, module));
    return loaded.default;
  }

  #context({ task, user }: TaskStep): TaskContext {
    const log = (level: 'info' | 'warn' | 'error') => (message: string) =>
      this.#send({ type: 'log', level, text: String(message) });
    return {
      name: task,
      user,
      signal: this.#abort.signal,
      caches: this.#caches(),
      log: { info: log('info'), warn: log('warn'), error: log('error') },
    };
  }

  #request<T>(request: GridRequest): Promise<T> {
    const requestId = ++this.#requestCount;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(requestId, { resolve, reject });
      this.#send({ type: 'request', requestId, request });
      // The request determines the response type; both ends are the same program.
    }) as Promise<T>;
  }

  #caches(): TaskCaches {
    const rows = (first: GridRequest) => this.#rows(first);
    return {
      names: () => this.#request({ type: 'names' }),
      size: (cache) => this.#request({ type: 'size', cache }),
      get: (cache, key) => this.#request({ type: 'get', cache, key: keyValue(key) }),
      scan: (cache) => rows({ type: 'scan', cache }) as AsyncIterable<{ key: unknown; value: unknown }>,
      query: (cache, sql, ...args) =>
        rows({ type: 'query', cache, sql, args: args.map(keyValue) }) as AsyncIterable<readonly unknown[]>,
    };
  }

  async *#rows(first: GridRequest): AsyncIterable<unknown> {
    let page = await this.#request<GridPage>(first);
    for (;;) {
      const rows: unknown = JSON.parse(`[${page.rows}]`, exactNumber);
      if (Array.isArray(rows)) yield* rows;
      if (page.last) return;
      page = await this.#request<GridPage>({ type: 'fetch', queryId: page.queryId });
    }
  }
}

async function runStep(task: TaskFunction | MappedTask, step: TaskStep, context: TaskContext): Promise<StepResult> {
  switch (step.phase) {
    case 'begin':
      if (typeof task === 'function') {
        return { kind: 'result', value: resultValue(await task(step.input, context)) };
      }
      return { kind: 'jobs', jobs: await task.map(step.input, context) };
    case 'job':
      return { kind: 'job', value: await mapped(task).job(step.input, context) };
    case 'reduce':
      return { kind: 'result', value: resultValue(await mapped(task).reduce(step.input, context)) };
  }
}

function mapped(task: TaskFunction | MappedTask): MappedTask {
  if (typeof task === 'function') throw new Error('The task is a function and has no jobs');
  return task;
}

function isMapped(task: unknown): task is MappedTask {
  if (typeof task !== 'object' || task === null) return false;
  return (
    'map' in task &&
    'job' in task &&
    'reduce' in task &&
    [task.map, task.job, task.reduce].every((each) => typeof each === 'function')
  );
}

function keyValue(given: Value | string): Value {
  return typeof given === 'string' ? text(given) : given;
}

/** Parses an integer beyond the safe range from its source text to a bigint, so that no digit is lost. */
function exactNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}
