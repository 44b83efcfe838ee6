/**
 * The desks that are one in the process, as threads that answer requests reach them: questions over the thread link,
 * answered by the desks of the main thread.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Caller, NodeDescription, NodeDesk, TaskDesk, TaskOutcome, UserDesk } from '../commands/context.ts';
import type { Account } from '../service/accounts.ts';
import type { LineSink } from '../service/log.ts';
import type { LoginDesk } from '../service/login-desk.ts';

type Service<Question, Answer> = { readonly question: Question; readonly answer: Answer };
type NodeWants = Parameters<NodeDesk['describe']>[0];

/** What the main thread answers to threads beside changes of the data. */
export type DeskServices = {
  readonly logIn: Service<
    { readonly name: string | undefined; readonly password: string | undefined; readonly address: string },
    Account
  >;
  readonly addUser: Service<{ readonly caller: Caller; readonly name: string; readonly password: string }, void>;
  readonly updateUser: Service<{ readonly caller: Caller; readonly name: string; readonly password: string }, void>;
  readonly removeUser: Service<{ readonly caller: Caller; readonly name: string }, void>;
  readonly runTask: Service<
    {
      readonly id: number;
      readonly name: string;
      readonly args: readonly string[];
      readonly timeoutMs: number;
      readonly user: string;
    },
    TaskOutcome
  >;
  readonly cancelTask: Service<number, void>;
  readonly startTask: Service<
    { readonly name: string; readonly args: readonly string[]; readonly timeoutMs: number; readonly user: string },
    TaskOutcome
  >;
  readonly taskResult: Service<{ readonly id: string; readonly user: string }, TaskOutcome>;
  readonly nodes: Service<NodeWants, readonly NodeDescription[]>;
  readonly logLine: Service<string, void>;
  readonly auditLine: Service<string, void>;
  readonly metrics: Service<null, string>;
};

/** The desks of the main thread. */
export interface Desks {
  readonly logins: LoginDesk;
  readonly users: UserDesk;
  readonly tasks: TaskDesk;
  readonly nodes: NodeDesk;
  readonly log: LineSink;
  readonly audit: LineSink;
  /** The page of figures. */
  metrics(): MaybePromise<string>;
}

/** The end of a link that answers a thread. */
interface Answerer {
  serve<N extends keyof DeskServices & string>(
    name: N,
    handler: (question: DeskServices[N]['question']) => MaybePromise<DeskServices[N]['answer']>,
  ): void;
}

/** The thread's end. */
interface Asker {
  call<N extends keyof DeskServices & string>(
    name: N,
    question: DeskServices[N]['question'],
  ): Promise<DeskServices[N]['answer']>;
}

/** Answers a thread's questions with the desks. */
export function serveDesks(link: Answerer, desks: Desks): void {
  const running = new Map<number, AbortController>();
  link.serve('logIn', ({ name, password, address }) => desks.logins.check(name, password, address));
  link.serve('addUser', ({ caller, name, password }) => desks.users.add(caller, name, password));
  link.serve('updateUser', ({ caller, name, password }) => desks.users.update(caller, name, password));
  link.serve('removeUser', ({ caller, name }) => desks.users.remove(caller, name));
  link.serve('runTask', async ({ id, name, args, timeoutMs, user }) => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await desks.tasks.run(name, args, timeoutMs, controller.signal, user);
    } finally {
      running.delete(id);
    }
  });
  link.serve('cancelTask', (id) => running.get(id)?.abort());
  link.serve('startTask', ({ name, args, timeoutMs, user }) => desks.tasks.start(name, args, timeoutMs, user));
  link.serve('taskResult', ({ id, user }) => desks.tasks.result(id, user));
  link.serve('nodes', (wants) => desks.nodes.describe(wants));
  link.serve('logLine', (line) => desks.log.append(line));
  link.serve('auditLine', (line) => desks.audit.append(line));
  link.serve('metrics', () => desks.metrics());
}

/** The desks of the main thread, from another thread. */
export function remoteDesks(link: Asker): Desks {
  let lastTask = 0;
  const send = (name: 'logLine' | 'auditLine', line: string): void => {
    // A line that cannot be delivered any more has no reader either: the main thread is gone.
    link.call(name, line).catch(() => {});
  };
  return {
    logins: { check: (name, password, address) => link.call('logIn', { name, password, address }) },
    users: {
      add: (caller, name, password) => link.call('addUser', { caller, name, password }),
      update: (caller, name, password) => link.call('updateUser', { caller, name, password }),
      remove: (caller, name) => link.call('removeUser', { caller, name }),
    },
    tasks: {
      async run(name, args, timeoutMs, signal, user) {
        const id = ++lastTask;
        const cancel = (): void => void link.call('cancelTask', id).catch(() => {});
        signal.addEventListener('abort', cancel);
        try {
          return await link.call('runTask', { id, name, args, timeoutMs, user });
        } finally {
          signal.removeEventListener('abort', cancel);
        }
      },
      start: (name, args, timeoutMs, user) => link.call('startTask', { name, args, timeoutMs, user }),
      result: (id, user) => link.call('taskResult', { id, user }),
    },
    nodes: { describe: (wants) => link.call('nodes', wants) },
    log: { append: (line) => send('logLine', line) },
    audit: { append: (line) => send('auditLine', line) },
    metrics: () => link.call('metrics', null),
  };
}
