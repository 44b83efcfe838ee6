/** A service whose users share its statements, tasks and memory. */
import { type Answer, queryOf, type ServiceProcess, startService } from '../service-process.ts';

export type Parameters = Readonly<Record<string, string | number>>;

export interface SharedService extends AsyncDisposable {
  readonly service: ServiceProcess;
  /** Sends a command as a user; `svc` is the administrator. */
  as(user: string, parameters: Parameters): Promise<Answer>;
}

export async function startShared(
  users: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SharedService> {
  const service = await startService({
    env: {
      SVC_AUTHENTICATION: 'true',
      SVC_ADMIN_PASSWORD: 'svc',
      SVC_REST_SESSION_TIMEOUT: '600',
      SVC_HTTP_STATUS: 'true',
      ...env,
    },
  });
  const tokens = new Map<string, string>();
  const logIn = async (user: string): Promise<void> => {
    const login = { cmd: 'authenticate', 'svc.login': user, 'svc.password': user };
    const { sessionToken, text } = await service.send(queryOf(login));
    if (sessionToken === null) throw new Error(text);
    tokens.set(user, sessionToken);
  };
  const as = (user: string, parameters: Parameters): Promise<Answer> =>
    service.send(queryOf({ ...parameters, sessionToken: tokens.get(user) ?? '' }));
  await logIn('svc');
  for (const user of users) {
    const { error } = await as('svc', { cmd: 'adduser', user, password: user, roles: 'user' });
    if (error !== null) throw new Error(error);
    await logIn(user);
  }
  return { service, as, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

export const sql = (qry: string, more: Parameters = {}): Parameters => ({
  cmd: 'qryfldexe',
  pageSize: 1,
  qry,
  ...more,
});

/** Resolves with the answer, or with undefined after a time. */
export function within<T>(answer: Promise<T>, limitMs: number): Promise<T | undefined> {
  return Promise.race([answer, Bun.sleep(limitMs).then(() => undefined)]);
}

/** A statement of unknown length, as every user may run one: it reads no cache. */
export const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b';
export const GREEDY = ['ann', 'bob', 'cid'] as const;
export const HOUR_MS = 3_600_000;
export const MEBIBYTE = 1024 * 1024;
