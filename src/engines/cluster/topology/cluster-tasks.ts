/** Runs tasks of the cluster's nodes by name. */
import type { Clock } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import type { TaskEngine } from '../../../grid/grid.ts';
import { NULL, text, type Value } from '../../../values/value.ts';
import { decodeValue } from '../binary/decoder.ts';
import type { Connection, Notification } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { RESOURCE, TASK } from '../operations/grid-operations.ts';
import { readWithTypes, unreadableResponse } from '../operations/responses.ts';
import { NodeError, STATUS, toGridError, withoutClassName } from '../protocol/status.ts';

/** The connection for tasks closes after this time without a task. */
const IDLE_MS = 60_000;

export class ClusterTasks implements TaskEngine {
  readonly #pool: Pool;
  readonly #clock: Clock;
  #connection: Promise<Connection> | undefined;
  #running = 0;
  #usedMs = 0;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async run(name: string, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Value> {
    if (signal.aborted) throw abortReason(signal) ?? gridError('TASK_CANCELLED', name);
    this.#running++;
    try {
      const connection = await this.#open();
      const task = { name, argument: argumentOf(args), timeoutMs: Math.max(0, timeoutMs) };
      const taskId = await this.#pool.callOver(connection, TASK.execute, task);
      const cancel = (): void => {
        this.#pool.callOver(connection, RESOURCE.close, taskId).catch(() => {
          // The task or its connection has already ended.
        });
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await this.#resultOf(await notificationOf(connection, taskId));
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    } catch (error) {
      throw abortReason(signal) ?? taskError(error, name, timeoutMs);
    } finally {
      this.#running--;
      this.#usedMs = this.#clock.monotonicMs();
    }
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.then(
      (open) => open.close('the engine has been closed'),
      () => {},
    );
  }

  #open(): Promise<Connection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    try {
      const connection = await this.#pool.openFurther();
      connection.onClose = () => {
        this.#connection = undefined;
      };
      const timer = this.#clock.every(IDLE_MS, () => {
        if (this.#running > 0 || this.#clock.monotonicMs() - this.#usedMs < IDLE_MS) return;
        timer.cancel();
        connection.close('no task uses it');
      });
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async #resultOf(notification: Notification): Promise<Value> {
    if (!('reader' in notification)) throw new NodeError(notification.status, notification.message);
    const { context } = this.#pool;
    return readWithTypes(notification.reader, context.types, (reader) => decodeValue(reader, context));
  }
}

function notificationOf(connection: Connection, taskId: number): Promise<Notification> {
  return new Promise((resolve) => connection.listen(taskId, resolve));
}

/** No argument becomes null, one becomes itself, several become an array. */
function argumentOf(args: readonly string[]): Value {
  const [first] = args;
  if (first === undefined) return NULL;
  return args.length === 1 ? text(first) : { type: 'array', element: 'object', data: args.map(text) };
}

/** Returns the caller's reason for aborting; the node only reports a cancellation. */
function abortReason({ aborted, reason }: AbortSignal): GridError | undefined {
  return aborted && reason instanceof GridError ? reason : undefined;
}

function taskError(error: unknown, name: string, timeoutMs: number): unknown {
  if (!(error instanceof NodeError)) return unreadableResponse(error);
  const { status, message } = error;
  if (status === -1) return gridError('OUTCOME_UNKNOWN', message);
  if (status === STATUS.FUNCTIONALITY_DISABLED) {
    return gridError(
      'NOT_SUPPORTED',
      'tasks',
      'the nodes do not allow tasks: set ThinClientConfiguration.maxActiveComputeTasksPerConnection in their configuration',
    );
  }
  if (status === STATUS.TOO_MANY_TASKS) return gridError('TASK_FAILED', message);
  if (/Unknown task name|Failed to auto-deploy task/.test(message)) return gridError('TASK_NOT_FOUND', name);
  if (/Task timed out/.test(message)) return gridError('TASK_TIMEOUT', name, timeoutMs);
  if (/cluster is inactive|read-only mode|Authorization failed/.test(message)) return toGridError(error, {});
  return gridError('TASK_FAILED', withoutClassName(message));
}
