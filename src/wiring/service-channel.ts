/**
 * Provides HTTP threads with the services that exist once per process. Calls use an RPC channel to the main thread.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type {
  AccessService,
  ApiKeyDescription,
  ApiKeyService,
  BackupService,
  BackupStatus,
  Caller,
  CreatedBackup,
  IssuedApiKey,
  MetricsHistoryService,
  MetricsSamples,
  NewApiKey,
  NodeDescription,
  NodeService,
  RoleChange,
  RoleDescription,
  SessionDescription,
  TaskDescription,
  TaskOutcome,
  TaskOwner,
  TaskReader,
  TaskService,
  UserChange,
  UserDescription,
  UserService,
  VerifiedBackup,
} from '../commands/context.ts';
import type { AuditPart, AuditSinks } from '../service/monitoring/audit.ts';
import type { LineSink } from '../service/monitoring/log.ts';
import type { Account } from '../service/security/accounts.ts';
import type { Authenticator } from '../service/security/authenticator.ts';
import type { Guesses } from '../service/security/guesses.ts';
import type { JwtKeySet, JwtKeys } from '../service/security/jwt/jwt-keys.ts';

type Service<Req, Res> = { readonly request: Req; readonly response: Res };
type NodeParts = Parameters<NodeService['describe']>[0];

/** Methods of the main thread other than data changes. */
export type ServiceMethods = {
  readonly logIn: Service<
    { readonly name: string | undefined; readonly password: string | undefined; readonly address: string },
    Account
  >;
  readonly recognise: Service<
    { readonly name: string | undefined; readonly password: string | undefined; readonly address: string },
    boolean
  >;
  readonly checkUser: Service<{ readonly caller: Caller; readonly change: UserChange }, void>;
  readonly addUser: Service<{ readonly caller: Caller; readonly name: string; readonly password: string }, void>;
  readonly updateUser: Service<{ readonly caller: Caller; readonly name: string; readonly password: string }, void>;
  readonly removeUser: Service<{ readonly caller: Caller; readonly name: string }, void>;
  readonly addApiKey: Service<{ readonly caller: Caller; readonly key: NewApiKey }, IssuedApiKey>;
  readonly listApiKeys: Service<
    { readonly caller: Caller; readonly user: string | undefined },
    readonly ApiKeyDescription[]
  >;
  readonly rotateApiKey: Service<
    {
      readonly caller: Caller;
      readonly id: string;
      readonly overlapMs: number;
      readonly ttlMs: number | undefined;
    },
    IssuedApiKey
  >;
  readonly removeApiKey: Service<{ readonly caller: Caller; readonly id: string }, void>;
  readonly listUsers: Service<Caller, readonly UserDescription[]>;
  readonly listRoles: Service<Caller, readonly RoleDescription[]>;
  readonly listSessions: Service<
    { readonly caller: Caller; readonly user: string | undefined; readonly limit: number },
    readonly SessionDescription[]
  >;
  readonly checkRoles: Service<{ readonly caller: Caller; readonly change: RoleChange }, void>;
  readonly changeRoles: Service<{ readonly caller: Caller; readonly change: RoleChange }, void>;
  readonly endSession: Service<{ readonly caller: Caller; readonly id: string }, number>;
  readonly endSessions: Service<{ readonly caller: Caller; readonly user: string }, number>;
  /** Returns the keys of JSON Web Tokens, newer than a version. */
  readonly jwtKeys: Service<number, JwtKeySet>;
  /** Counts a wrong API key or token. */
  readonly guessFailed: Service<{ readonly id: string; readonly address: string }, void>;
  readonly runTask: Service<
    {
      readonly id: number;
      readonly name: string;
      readonly args: readonly string[];
      readonly timeoutMs: number;
      readonly owner: TaskOwner;
    },
    TaskOutcome
  >;
  readonly cancelTask: Service<number, void>;
  readonly startTask: Service<
    { readonly name: string; readonly args: readonly string[]; readonly timeoutMs: number; readonly owner: TaskOwner },
    TaskOutcome
  >;
  readonly listTasks: Service<TaskReader, readonly TaskDescription[]>;
  readonly killTask: Service<{ readonly id: string; readonly reader: TaskReader }, void>;
  readonly taskResult: Service<{ readonly id: string; readonly user: string }, TaskOutcome>;
  readonly nodes: Service<NodeParts, readonly NodeDescription[]>;
  readonly createBackup: Service<
    { readonly id: number; readonly name: string | undefined; readonly wait: boolean },
    CreatedBackup
  >;
  readonly cancelBackup: Service<number, void>;
  readonly backupStatus: Service<boolean, BackupStatus>;
  readonly verifyBackup: Service<{ readonly id: number; readonly name: string }, VerifiedBackup>;
  /** Returns the next bytes of a streamed backup, which the first call starts; undefined at its end. */
  readonly readBackup: Service<number, Uint8Array | undefined>;
  /** Ends a streamed backup. */
  readonly closeBackup: Service<number, void>;
  readonly logLine: Service<string, void>;
  readonly auditLine: Service<{ readonly part: AuditPart; readonly line: string }, void>;
  readonly metrics: Service<null, string>;
  readonly metricsSince: Service<number, MetricsSamples>;
};

/** The services of the main thread. */
export interface MainServices {
  readonly logins: Authenticator;
  readonly users: UserService;
  readonly apiKeys: ApiKeyService;
  readonly access: AccessService;
  readonly guesses: Guesses;
  readonly jwtKeys: JwtKeys;
  readonly tasks: TaskService;
  readonly nodes: NodeService;
  readonly backups: BackupService;
  readonly metricsHistory: MetricsHistoryService;
  readonly log: LineSink;
  readonly audit: AuditSinks;
  /** Returns the page of metrics. */
  metrics(): MaybePromise<string>;
}

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
  const running = new Map<number, AbortController>();
  channel.serve('logIn', ({ name, password, address }) => services.logins.check(name, password, address));
  channel.serve('checkUser', ({ caller, change }) => services.users.check(caller, change));
  channel.serve('addUser', ({ caller, name, password }) => services.users.add(caller, name, password));
  channel.serve('updateUser', ({ caller, name, password }) => services.users.update(caller, name, password));
  channel.serve('removeUser', ({ caller, name }) => services.users.remove(caller, name));
  serveApiKeys(channel, services);
  serveAccess(channel, services.access);
  channel.serve('runTask', async ({ id, name, args, timeoutMs, owner }) => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await services.tasks.run(name, args, timeoutMs, controller.signal, owner);
    } finally {
      running.delete(id);
    }
  });
  channel.serve('cancelTask', (id) => running.get(id)?.abort());
  channel.serve('startTask', ({ name, args, timeoutMs, owner }) => services.tasks.start(name, args, timeoutMs, owner));
  channel.serve('listTasks', (reader) => services.tasks.list(reader));
  channel.serve('killTask', ({ id, reader }) => services.tasks.cancel(id, reader));
  channel.serve('taskResult', ({ id, user }) => services.tasks.result(id, user));
  channel.serve('nodes', (include) => services.nodes.describe(include));
  serveBackups(channel, services.backups);
  channel.serve('logLine', (line) => services.log.append(line));
  channel.serve('auditLine', ({ part, line }) => services.audit[part].append(line));
  channel.serve('metrics', () => services.metrics());
  channel.serve('metricsSince', (afterMs) => services.metricsHistory.since(afterMs));
}

function serveApiKeys(channel: RpcServer, { apiKeys, guesses, jwtKeys }: MainServices): void {
  channel.serve('jwtKeys', (after) => jwtKeys.get(after));
  channel.serve('addApiKey', ({ caller, key }) => apiKeys.add(caller, key));
  channel.serve('listApiKeys', ({ caller, user }) => apiKeys.list(caller, user));
  channel.serve('rotateApiKey', ({ caller, id, overlapMs, ttlMs }) => apiKeys.rotate(caller, id, overlapMs, ttlMs));
  channel.serve('removeApiKey', ({ caller, id }) => apiKeys.remove(caller, id));
  channel.serve('guessFailed', ({ id, address }) => guesses.failed(id, address));
}

function serveAccess(channel: RpcServer, access: AccessService): void {
  channel.serve('listUsers', (caller) => access.users(caller));
  channel.serve('listRoles', (caller) => access.roles(caller));
  channel.serve('checkRoles', ({ caller, change }) => access.checkRoles(caller, change));
  channel.serve('changeRoles', ({ caller, change }) => access.changeRoles(caller, change));
  channel.serve('listSessions', ({ caller, user, limit }) => access.sessions(caller, user, limit));
  channel.serve('endSession', ({ caller, id }) => access.endSession(caller, id));
  channel.serve('endSessions', ({ caller, user }) => access.endSessions(caller, user));
}

function serveBackups(channel: RpcServer, backups: BackupService): void {
  const running = new Map<number, AbortController>();
  const streams = new Map<number, AsyncIterator<Uint8Array>>();
  const cancellable = async <T>(id: number, work: (signal: AbortSignal) => MaybePromise<T>): Promise<T> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      running.delete(id);
    }
  };
  channel.serve('createBackup', ({ id, name, wait }) =>
    cancellable(id, (signal) => backups.create(name, wait, signal)),
  );
  channel.serve('verifyBackup', ({ id, name }) => cancellable(id, (signal) => backups.verify(name, signal)));
  channel.serve('cancelBackup', (id) => running.get(id)?.abort());
  channel.serve('backupStatus', (readsRestorable) => backups.status(readsRestorable));
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

/** Manages API keys in the main thread. */
function remoteApiKeys(channel: RpcClient): ApiKeyService {
  return {
    add: (caller, key) => channel.call('addApiKey', { caller, key }),
    list: (caller, user) => channel.call('listApiKeys', { caller, user }),
    rotate: (caller, id, overlapMs, ttlMs) => channel.call('rotateApiKey', { caller, id, overlapMs, ttlMs }),
    remove: (caller, id) => channel.call('removeApiKey', { caller, id }),
  };
}

/** Lists users, roles and sessions in the main thread. */
function remoteAccess(channel: RpcClient): AccessService {
  return {
    users: (caller) => channel.call('listUsers', caller),
    roles: (caller) => channel.call('listRoles', caller),
    checkRoles: (caller, change) => channel.call('checkRoles', { caller, change }),
    changeRoles: (caller, change) => channel.call('changeRoles', { caller, change }),
    sessions: (caller, user, limit) => channel.call('listSessions', { caller, user, limit }),
    endSession: (caller, id) => channel.call('endSession', { caller, id }),
    endSessions: (caller, user) => channel.call('endSessions', { caller, user }),
  };
}

/** Makes backups in the main thread. */
function remoteBackups(channel: RpcClient): BackupService {
  let lastId = 0;
  const cancellable = async <T>(signal: AbortSignal, work: (id: number) => Promise<T>): Promise<T> => {
    const id = ++lastId;
    const cancel = (): void => void channel.call('cancelBackup', id).catch(() => {});
    signal.addEventListener('abort', cancel);
    try {
      return await work(id);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
  return {
    create: (name, wait, signal) => cancellable(signal, (id) => channel.call('createBackup', { id, name, wait })),
    verify: (name, signal) => cancellable(signal, (id) => channel.call('verifyBackup', { id, name })),
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
    status: (readsRestorable) => channel.call('backupStatus', readsRestorable),
  };
}

/** Creates the services of the main thread for another thread. */
export function remoteServices(channel: RpcClient): MainServices {
  let lastTask = 0;
  // These calls fail only if the main thread has ended, which owns the files.
  const audit = (part: AuditPart): LineSink => ({
    append: (line) => void channel.call('auditLine', { part, line }).catch(() => {}),
  });
  return {
    logins: {
      check: (name, password, address) => channel.call('logIn', { name, password, address }),
    },
    users: {
      check: (caller, change) => channel.call('checkUser', { caller, change }),
      add: (caller, name, password) => channel.call('addUser', { caller, name, password }),
      update: (caller, name, password) => channel.call('updateUser', { caller, name, password }),
      remove: (caller, name) => channel.call('removeUser', { caller, name }),
    },
    apiKeys: remoteApiKeys(channel),
    access: remoteAccess(channel),
    jwtKeys: { get: (after) => channel.call('jwtKeys', after) },
    guesses: { failed: (id, address) => channel.call('guessFailed', { id, address }) },
    tasks: {
      async run(name, args, timeoutMs, signal, owner) {
        const id = ++lastTask;
        const cancel = (): void => void channel.call('cancelTask', id).catch(() => {});
        signal.addEventListener('abort', cancel);
        try {
          return await channel.call('runTask', { id, name, args, timeoutMs, owner });
        } finally {
          signal.removeEventListener('abort', cancel);
        }
      },
      start: (name, args, timeoutMs, owner) => channel.call('startTask', { name, args, timeoutMs, owner }),
      list: (reader) => channel.call('listTasks', reader),
      cancel: (id, reader) => channel.call('killTask', { id, reader }),
      result: (id, user) => channel.call('taskResult', { id, user }),
    },
    nodes: { describe: (include) => channel.call('nodes', include) },
    backups: remoteBackups(channel),
    log: { append: (line) => void channel.call('logLine', line).catch(() => {}) },
    audit: { done: audit('done'), failures: audit('failures') },
    metrics: () => channel.call('metrics', null),
    metricsHistory: { since: (afterMs) => channel.call('metricsSince', afterMs) },
  };
}
