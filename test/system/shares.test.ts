/** One user cannot use all cursors or sessions: a reserve remains for others. */
import { expect, test } from 'bun:test';
import { queryOf, type ServiceProcess, startService } from './service-process.ts';

const LIMIT_MS = 60_000;

async function tokenOf(service: ServiceProcess, user: string): Promise<string> {
  const answer = await service.send(
    queryOf({ cmd: 'authenticate', 'svc.login': user, 'svc.password': user === 'svc' ? 'pass' : user }),
  );
  if (answer.sessionToken === null) throw new Error(answer.text);
  return answer.sessionToken;
}

/** Opens a cursor; returns the HTTP status and the error. */
async function openCursor(service: ServiceProcess, token: string): Promise<readonly [number, string | null]> {
  const qry = 'SELECT x FROM SYSTEM_RANGE(1, 100)';
  const answer = await service.send(
    queryOf({ cmd: 'qryfldexe', pageSize: 1, qry, sessionToken: token, httpStatus: 'true' }),
  );
  return [answer.http, answer.error];
}

for (const workers of [1, 2]) {
  test(
    `a user at the limit of cursors does not block other users, workers=${workers}`,
    async () => {
      await using service = await startService({
        env: {
          SVC_WORKERS: String(workers),
          SVC_AUTHENTICATION: 'true',
          SVC_ADMIN_PASSWORD: 'pass',
          SVC_LIMITS_OPEN_CURSORS: '100',
          SVC_REST_SESSION_TIMEOUT: '600',
        },
      });
      const administrator = await tokenOf(service, 'svc');
      for (const user of ['greedy', 'modest']) {
        await service.command(queryOf({ cmd: 'adduser', user, password: user, sessionToken: administrator }));
      }
      const [greedy, modest] = [await tokenOf(service, 'greedy'), await tokenOf(service, 'modest')];
      const attempts: Array<readonly [number, string | null]> = [];
      for (let count = 0; count < 100; count++) attempts.push(await openCursor(service, greedy));
      const rejected = attempts.filter(([, error]) => error !== null);
      expect(attempts.length - rejected.length).toBe(90);
      expect(rejected[0]).toEqual([
        429,
        'Too many open cursors of one user: the rest is kept for others [own=90, limit=100]',
      ]);
      expect(await openCursor(service, modest)).toEqual([200, null]);
      expect(await openCursor(service, modest)).toEqual([200, null]);
      expect((await openCursor(service, modest))[0]).toBe(429);
      expect(await openCursor(service, administrator)).toEqual([200, null]);
    },
    LIMIT_MS,
  );
}
