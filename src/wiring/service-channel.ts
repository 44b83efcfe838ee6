/** Provides the other threads with the services that exist once per process, over an RPC channel to the main thread. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type {
  AccessService,
  ApiKeyService,
  CommandServices,
  CreatedBackup,
  TaskOutcome,
  TaskOwner,
  UserService,
  VerifiedBackup,
} from '../commands/context.ts';
import type { AuditPart, AuditSinks } from '../service/monitoring/audit.ts';
import type { LineSink } from '../service/monitoring/log.ts';
import type { Authenticator } from '../service/security/authenticator.ts';
import type { Guesses } from '../service/security/guesses.ts';
import type { JwtKeys } from '../service/security/jwt/jwt-keys.ts';

/** The services of the main thread. */
export interface MainServices
  extends Pick<CommandServices, 'users' | 'apiKeys' | 'access' | 'tasks' | 'nodes' | 'backups' | 'metricsHistory'> {
  readonly logins: Authenticator;
  readonly guesses: Guesses;
  readonly jwtKeys: JwtKeys;
  readonly log: LineSink;
  readonly audit: AuditSinks;
  /** Returns the page of metrics. */
  metrics(): MaybePromise<string>;
}

/** Methods of a service, as methods of the channel: their requests are the lists of arguments. */
type Methods<S extends keyof MainServices & string, M extends keyof MainServices[S] & string> = {
  readonly [N in M as `${S}.${N}`]: MainServices[S][N] extends (...args: infer A) => infer R
    ? { readonly request: A; readonly response: Awaited<R> }
    : never;
};

type Method<Request, Response> = { readonly request: Request; readonly response: Response };

/** A call that the caller may cancel by its id. */
type Cancellable<Args extends readonly unknown[], Response> = Method<
  { readonly id: number; readonly args: Args },
  Response
>;

/** Methods of the main thread other than data changes. */
export type ServiceMethods = Methods<'logins', 'check'> &
  Methods<'users', keyof UserService> &
  Methods<'apiKeys', keyof ApiKeyService> &
  Methods<'access', keyof AccessService> &
  Methods<'guesses', 'failed'> &
  Methods<'jwtKeys', 'get'> &
  Methods<'tasks', 'start' | 'list' | 'cancel' | 'result'> &
  Methods<'nodes', 'describe'> &
  Methods<'backups', 'status'> &
  Methods<'metricsHistory', 'since'> &
  Methods<'log', 'append'> & {
    readonly metrics: Method<null, string>;
    readonly audit: Method<readonly [part: AuditPart, line: string], void>;
    readonly runTask: Cancellable<
      readonly [name: string, args: readonly string[], timeoutMs: number, owner: TaskOwner],
      TaskOutcome
    >;
    readonly createBackup: Cancellable<readonly [name: string | undefined, wait: boolean], CreatedBackup>;
    readonly verifyBackup: Cancellable<readonly [name: string], VerifiedBackup>;
    readonly cancel: Method<number, void>;
    /** Returns the next bytes of a streamed backup, which the first call starts; undefined at its end. */
    readonly readBackup: Method<number, Uint8Array | undefined>;
    /** Ends a streamed backup. */
    readonly closeBackup: Method<number, void>;
  };

/** The server end of a channel. */
interface RpcServer {
  serve<N extends keyof ServiceMethods & string>(
    name: N,
    handler: (request: ServiceMethods[N]['request']) => MaybePromise<ServiceMethods[N]['response']>,
  ): void;
}

/** The client end of a channel. */
interface RpcClient {
  call<N extends keyof ServiceMethods & string>(
    name: N,
    request: ServiceMethods[N]['request'],
  ): Promise<ServiceMethods[N]['response']>;
}

/** Serves the calls of a thread with the services. */
export function registerServices(channel: RpcServer, services: MainServices): void {
  const { logins, users, apiKeys, access, guesses, jwtKeys, tasks, nodes, backups, metricsHistory } = services;
  channel.serve('logins.check', (args) => logins.check(...args));
  channel.serve('users.check', (args) => users.check(...args));
  channel.serve('users.add', (args) => users.add(...args));
  channel.serve('users.update', (args) => users.update(...args));
  channel.serve('users.remove', (args) => users.remove(...args));
  channel.serve('apiKeys.add', (args) => apiKeys.add(...args));
  channel.serve('apiKeys.list', (args) => apiKeys.list(...args));
  channel.serve('apiKeys.rotate', (args) => apiKeys.rotate(...args));
  channel.serve('apiKeys.remove', (args) => apiKeys.remove(...args));
  channel.serve('access.users', (args) => access.users(...args));
  channel.serve('access.roles', (args) => access.roles(...args));
  channel.serve('access.checkRoles', (args) => access.checkRoles(...args));
  channel.serve('access.changeRoles', (args) => access.changeRoles(...args));
  channel.serve('access.sessions', (args) => access.sessions(...args));
  channel.serve('access.endSession', (args) => access.endSession(...args));
  channel.serve('access.endSessions', (args) => access.endSessions(...args));
  channel.serve('guesses.failed', (args) => guesses.failed(...args));
  channel.serve('jwtKeys.get', (args) => jwtKeys.get(...args));
  channel.serve('tasks.start', (args) => tasks.start(...args));
  channel.serve('tasks.list', (args) => tasks.list(...args));
  channel.serve('tasks.cancel', (args) => tasks.cancel(...args));
  channel.serve('tasks.result', (args) => tasks.result(...args));
  channel.serve('nodes.describe', (args) => nodes.describe(...args));
  channel.serve('backups.status', (args) => backups.status(...args));
  channel.serve('metricsHistory.since', (args) => metricsHistory.since(...args));
  channel.serve('log.append', (args) => services.log.append(...args));
  channel.serve('audit', ([part, line]) => services.audit[part].append(line));
  channel.serve('metrics', () => services.metrics());
  const running = new Map<number, AbortController>();
  const cancellable = async <T>(id: number, work: (signal: AbortSignal) => MaybePromise<T>): Promise<T> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      running.delete(id);
    }
  };
  channel.serve('runTask', ({ id, args: [name, args, timeoutMs, owner] }) =>
    cancellable(id, (signal) => tasks.run(name, args, timeoutMs, signal, owner)),
  );
  channel.serve('createBackup', ({ id, args }) => cancellable(id, (signal) => backups.create(...args, signal)));
  channel.serve('verifyBackup', ({ id, args }) => cancellable(id, (signal) => backups.verify(...args, signal)));
  channel.serve('cancel', (id) => running.get(id)?.abort());
  const streams = new Map<number, AsyncIterator<Uint8Array>>();
  channel.serve('readBackup', async (id) => {
    const stream = streams.get(id) ?? backups.stream(new AbortController().signal)[Symbol.asyncIterator]();
    streams.set(id, stream);
    const { value, done } = await stream.next();
    return done ? undefined : value;
  });
  channel.serve('closeBackup', async (id) => {
    await streams.get(id)?.return?.();
    streams.delete(id);
  });
}

/** Creates the services of the main thread for another thread. */
export function remoteServices(channel: RpcClient): MainServices {
  let lastId = 0;
  const cancellable = async <T>(signal: AbortSignal, work: (id: number) => Promise<T>): Promise<T> => {
    const id = ++lastId;
    const cancel = (): void => void channel.call('cancel', id).catch(() => {});
    signal.addEventListener('abort', cancel);
    try {
      return await work(id);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  // These calls fail only if the main thread has ended, which owns the files.
  const audit = (part: AuditPart): LineSink => ({
    append: (line) => void channel.call('audit', [part, line]).catch(() => {}),
  });
  return {
    logins: { check: (...args) => channel.call('logins.check', args) },
    users: {
      check: (...args) => channel.call('users.check', args),
      add: (...args) => channel.call('users.add', args),
      update: (...args) => channel.call('users.update', args),
      remove: (...args) => channel.call('users.remove', args),
    },
    apiKeys: {
      add: (...args) => channel.call('apiKeys.add', args),
      list: (...args) => channel.call('apiKeys.list', args),
      rotate: (...args) => channel.call('apiKeys.rotate', args),
      remove: (...args) => channel.call('apiKeys.remove', args),
    },
    access: {
      users: (...args) => channel.call('access.users', args),
      roles: (...args) => channel.call('access.roles', args),
      checkRoles: (...args) => channel.call('access.checkRoles', args),
      changeRoles: (...args) => channel.call('access.changeRoles', args),
      sessions: (...args) => channel.call('access.sessions', args),
      endSession: (...args) => channel.call('access.endSession', args),
      endSessions: (...args) => channel.call('access.endSessions', args),
    },
    guesses: { failed: (...args) => channel.call('guesses.failed', args) },
    jwtKeys: { get: (...args) => channel.call('jwtKeys.get', args) },
    tasks: {
      run: (name, args, timeoutMs, signal, owner) =>
        cancellable(signal, (id) => channel.call('runTask', { id, args: [name, args, timeoutMs, owner] })),
      start: (...args) => channel.call('tasks.start', args),
      list: (...args) => channel.call('tasks.list', args),
      cancel: (...args) => channel.call('tasks.cancel', args),
      result: (...args) => channel.call('tasks.result', args),
    },
    nodes: { describe: (...args) => channel.call('nodes.describe', args) },
    backups: {
      create: (name, wait, signal) =>
        cancellable(signal, (id) => channel.call('createBackup', { id, args: [name, wait] })),
      verify: (name, signal) => cancellable(signal, (id) => channel.call('verifyBackup', { id, args: [name] })),
      async *stream(signal) {
        const id = ++lastId;
        try {
          for (;;) {
            const bytes = await channel.call('readBackup', id);
            if (bytes === undefined || signal.aborted) return;
            yield bytes;
          }
        } finally {
          await channel.call('closeBackup', id);
        }
      },
      status: (...args) => channel.call('backups.status', args),
    },
    metricsHistory: { since: (...args) => channel.call('metricsHistory.since', args) },
    log: { append: (...args) => void channel.call('log.append', args).catch(() => {}) },
    audit: { done: audit('done'), failures: audit('failures') },
    metrics: () => channel.call('metrics', null),
  };
}
