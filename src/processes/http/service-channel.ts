/**
 * Gives the other threads access to the process-wide services, over an RPC channel to the main thread.
 */
import type { FailoverStatus } from '../../base/failover-status.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { RpcChannel, RpcMethods } from '../../base/rpc-channel.ts';
import type { CommandServices } from '../../commands/context.ts';
import type { AuditPart, AuditSinks } from '../../service/monitoring/audit.ts';
import type { LineSink } from '../../service/monitoring/log.ts';
import type { Authenticator } from '../../service/security/authenticator.ts';
import type { JwtKeys } from '../../service/security/jwt/jwt-keys.ts';
import type { KeyAttempts } from '../../service/security/key-attempts.ts';

/** Describes how the service is a primary with followers. */
export interface FailoverReport {
  /** undefined if no other service takes over. */
  status(): MaybePromise<FailoverStatus | undefined>;
}

/** The services of the main thread. */
export interface MainServices
  extends Pick<
    CommandServices,
    'users' | 'apiKeys' | 'access' | 'savedQueries' | 'tasks' | 'nodes' | 'backups' | 'metricsHistory'
  > {
  readonly logins: Authenticator;
  readonly keyAttempts: KeyAttempts;
  readonly jwtKeys: JwtKeys;
  readonly failover: FailoverReport;
  readonly log: LineSink;
  readonly audit: AuditSinks;
  /** Returns the page of metrics. */
  metrics(): MaybePromise<string>;
}

/** The service methods that other threads call. A signal among a call's arguments also cancels it there. */
const METHODS = {
  logins: ['check'],
  users: ['check', 'add', 'update', 'remove'],
  apiKeys: ['add', 'list', 'rotate', 'remove'],
  access: ['users', 'roles', 'checkRoles', 'changeRoles', 'sessions', 'endSession', 'endSessions'],
  savedQueries: ['add', 'list', 'get', 'update', 'remove'],
  keyAttempts: ['failed'],
  jwtKeys: ['get'],
  tasks: ['run', 'start', 'list', 'cancel', 'result'],
  nodes: ['describe'],
  backups: ['create', 'verify', 'status'],
  metricsHistory: ['since'],
  failover: ['status'],
} as const satisfies { readonly [S in keyof MainServices]?: ReadonlyArray<keyof MainServices[S]> };

type Service = keyof typeof METHODS;
type RemoteService<S extends Service> = Pick<MainServices[S], (typeof METHODS)[S][number] & keyof MainServices[S]>;
type Method<Request, Response> = { readonly request: Request; readonly response: Response };

/** Methods of the main thread other than data changes. */
export type ServiceMethods = {
  /** Calls a method of a service. `signalAt` is the index of the signal among the arguments, or -1. */
  readonly call: Method<
    readonly [id: number, signalAt: number, service: Service, method: string, ...args: readonly unknown[]],
    unknown
  >;
  readonly cancel: Method<number, void>;
  readonly appendLine: Method<readonly [to: 'log' | AuditPart, line: string], void>;
  readonly metrics: Method<null, string>;
  /** Returns the next bytes of a streamed backup, which the first call starts, or undefined at its end. */
  readonly readBackup: Method<number, Uint8Array | undefined>;
  /** Ends a streamed backup. */
  readonly closeBackup: Method<number, void>;
};

/** Serves a thread's calls with the services. */
export function registerServices(
  channel: Pick<RpcChannel<RpcMethods, ServiceMethods>, 'serve'>,
  services: MainServices,
) {
  const running = new Map<number, AbortController>();
  channel.serve('call', async ([id, signalAt, name, method, ...args]) => {
    const service = services[name];
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const given = args.map((each, at) => (at === signalAt ? controller.signal : each));
      return await Reflect.apply(Reflect.get(service, method), service, given);
    } finally {
      running.delete(id);
    }
  });
  channel.serve('cancel', (id) => running.get(id)?.abort());
  channel.serve('appendLine', ([to, line]) => (to === 'log' ? services.log : services.audit[to]).append(line));
  channel.serve('metrics', () => services.metrics());
  const streams = new Map<number, AsyncIterator<Uint8Array>>();
  channel.serve('readBackup', async (id) => {
    const stream = streams.get(id) ?? services.backups.stream(new AbortController().signal)[Symbol.asyncIterator]();
    streams.set(id, stream);
    const { value, done } = await stream.next();
    return done ? undefined : value;
  });
  channel.serve('closeBackup', async (id) => {
    await streams.get(id)?.return?.();
    streams.delete(id);
  });
}

/** Creates the main thread's services for another thread. */
export function remoteServices(channel: Pick<RpcChannel<ServiceMethods, RpcMethods>, 'call'>): MainServices {
  let lastId = 0;
  const call = async (service: Service, method: string, args: readonly unknown[]): Promise<unknown> => {
    const id = ++lastId;
    const signalAt = args.findIndex((each) => each instanceof AbortSignal);
    const sent = args.map((each) => (each instanceof AbortSignal ? undefined : each));
    const signal = args[signalAt];
    const cancel = (): void => void channel.call('cancel', id).catch(() => {});
    if (signal instanceof AbortSignal) signal.addEventListener('abort', cancel);
    try {
      return await channel.call('call', [id, signalAt, service, method, ...sent]);
    } finally {
      if (signal instanceof AbortSignal) signal.removeEventListener('abort', cancel);
    }
  };
  const remote = <S extends Service>(service: S) =>
    Object.fromEntries(
      METHODS[service].map((method) => [method, (...args: readonly unknown[]) => call(service, method, args)]),
    ) as RemoteService<S>;
  // These calls fail only if the main thread has ended, which owns the files.
  const sink = (to: 'log' | AuditPart): LineSink => ({
    append: (line) => void channel.call('appendLine', [to, line]).catch(() => {}),
  });
  return {
    logins: remote('logins'),
    users: remote('users'),
    apiKeys: remote('apiKeys'),
    access: remote('access'),
    savedQueries: remote('savedQueries'),
    keyAttempts: remote('keyAttempts'),
    jwtKeys: remote('jwtKeys'),
    tasks: remote('tasks'),
    nodes: remote('nodes'),
    failover: remote('failover'),
    backups: {
      ...remote('backups'),
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
    },
    metricsHistory: remote('metricsHistory'),
    log: sink('log'),
    audit: { done: sink('done'), failures: sink('failures') },
    metrics: () => channel.call('metrics', null),
  };
}
