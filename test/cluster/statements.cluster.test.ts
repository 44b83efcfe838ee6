/** Statements and cursors in front of a cluster: how they end, their shares, and that nodes keep none of them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { allowedMs } from '../system/machine.ts';
import { type Answer, type ServiceProcess, startService } from '../system/service-process.ts';
import { missingForNodes, startCluster, type TestCluster } from './ignite-node.ts';

const missing = missingForNodes();
// Starting nodes takes time.
setDefaultTimeout(180_000);

/**
 * A statement is gone within this time after the request that ends it. An idle machine takes less than 500 ms; these
 * statements would run for minutes.
 */
const GONE_MS = 10_000;
const CURSORS = 8;
/** Cursors that a node keeps for a connection. */
const NODE_CURSORS = 128;
const TIME_LIMIT_MS = 1_000;
/** Runs for minutes unless the node ends it. The name of its column tells its runs apart. */
const endless = (mark: string): string => `SELECT count(*) AS ${mark} FROM item a, item b, item c, item d`;

if (missing !== undefined) {
  describe('statements in a cluster', () => {
    test.skip(missing, () => {});
  });
} else {
  describe('statements in a cluster', () => {
    let cluster: TestCluster;
    let service: ServiceProcess;
    const tokens = new Map<string, string>();

    beforeAll(async () => {
      cluster = await startCluster(1, { authentication: true });
      service = await startService({ env: { ...environment(), SVC_LIMITS_OPEN_CURSORS: String(CURSORS) } });
      await logIn('ignite', 'ignite');
      for (const user of ['ann', 'bob']) {
        expect((await ask('ignite', `cmd=adduser&roles=user&user=${user}&password=pw-${user}`)).error).toBeNull();
        await logIn(user, `pw-${user}`);
      }
      await run('ignite', 'CREATE TABLE item(id INT PRIMARY KEY, n INT) WITH "CACHE_NAME=item"');
      for (let row = 0; row < 1_000; row += 250) {
        const rows = Array.from({ length: 250 }, (_, each) => `(${row + each}, ${each})`).join(', ');
        expect((await run('ignite', `INSERT INTO item(id, n) VALUES ${rows}`)).error).toBeNull();
      }
    }, 300_000);
    afterAll(async () => {
      await service.stop();
      await cluster[Symbol.asyncDispose]();
    });

    const environment = (): Readonly<Record<string, string>> => ({
      SVC_ENGINE: 'cluster',
      SVC_ENDPOINTS: cluster.endpoints.join(','),
      SVC_ENGINE_CLUSTER_USER: 'ignite',
      SVC_ENGINE_CLUSTER_PASSWORD: 'ignite',
      SVC_AUTHENTICATION: 'true',
    });

    async function logIn(user: string, password: string): Promise<void> {
      const { sessionToken } = await service.send(`cmd=authenticate&svc.login=${user}&svc.password=${password}`);
      tokens.set(user, sessionToken ?? '');
    }

    function ask(user: string, query: string, form: Readonly<Record<string, string>> = {}, signal?: AbortSignal) {
      const headers = { Authorization: `Bearer ${tokens.get(user)}` };
      return service.send(query, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
        ...(signal && { signal }),
      });
    }

    const run = (user: string, qry: string, signal?: AbortSignal): Promise<Answer> =>
      ask(user, 'cmd=qryfldexe&pageSize=10', { qry }, signal);

    /** Returns the nodes' id of a running statement, or undefined if it does not run. */
    async function runningId(mark: string): Promise<string | undefined> {
      const sql = `SELECT QUERY_ID FROM SYS.SQL_QUERIES WHERE SQL LIKE '%AS ${mark} %' AND SQL NOT LIKE '%SYS.%'`;
      const { response, error } = await run('ignite', sql);
      if (error !== null) throw new Error(error);
      const [[id] = []] = (response as { items: unknown[][] }).items;
      return id === undefined ? undefined : String(id);
    }

    async function untilRunning(mark: string): Promise<string> {
      for (let attempt = 0; attempt < 200; attempt++) {
        const id = await runningId(mark);
        if (id !== undefined) return id;
        await Bun.sleep(20);
      }
      throw new Error(`not running: ${mark}`);
    }

    /** Waits until the nodes no longer run the statement, for {@link GONE_MS} at most. */
    async function untilGone(mark: string): Promise<void> {
      const endMs = performance.now() + GONE_MS;
      while ((await runningId(mark)) !== undefined) {
        if (performance.now() > endMs) throw new Error(`still running: ${mark}`);
        await Bun.sleep(20);
      }
    }

    test.each([
      ['rows of one page', 'SELECT id FROM item WHERE id < 3', 10],
      ['no rows', 'SELECT id FROM item WHERE id < 0', 10],
      ['rows of two pages', 'SELECT id FROM item WHERE id < 3', 2],
      ['a failed conversion', "SELECT CAST('x' || id AS INT) FROM item", 10],
    ])('%s leave no cursor at the node', async (_title, qry, pageSize) => {
      for (let count = 0; count < 2 * NODE_CURSORS; count++) {
        const { response, error } = await ask('ann', `cmd=qryfldexe&pageSize=${pageSize}`, { qry });
        expect(error ?? '').not.toContain('Too many open cursors');
        const { queryId, last } = (response ?? { last: true }) as { queryId: number; last: boolean };
        if (!last) expect((await ask('ann', `cmd=qryfetch&pageSize=10&qryId=${queryId}`)).error).toBeNull();
      }
    });

    test('an administrator ends a statement that the nodes run', async () => {
      const running = run('ann', endless('KILLED'));
      const id = await untilRunning('KILLED');
      expect((await ask('bob', `cmd=qrykill&qryId=${id}`)).error).toContain('Failed to find query');
      const begunMs = performance.now();
      expect(await ask('ignite', `cmd=qrykill&qryId=${id}`)).toMatchObject({ error: null, response: true });
      expect((await running).error).toContain('cancelled');
      expect(performance.now() - begunMs).toBeLessThan(allowedMs(GONE_MS));
      await untilGone('KILLED');
      expect((await ask('ignite', `cmd=qrykill&qryId=${id}`)).error).toContain('Failed to find query');
    });

    test('a statement past its time limit is ended at the nodes', async () => {
      const begunMs = performance.now();
      const { error } = await ask('ann', `cmd=qryfldexe&pageSize=10&timeout=${TIME_LIMIT_MS}`, {
        qry: endless('LATE'),
      });
      expect(error).toContain('cancelled');
      expect(performance.now() - begunMs).toBeLessThan(TIME_LIMIT_MS + allowedMs(GONE_MS));
      await untilGone('LATE');
    });

    test('clients get no more time and rows than the service allows', async () => {
      await using bounded = await startService({
        env: {
          ...environment(),
          SVC_QUERY_TIMEOUT: '1',
          SVC_QUERY_MAX_TIMEOUT: '1',
          SVC_QUERY_MAX_RESULT_BYTES: '20000',
        },
      });
      const bound = async (query: string, qry: string): Promise<string | null> => {
        const login = 'svc.login=ignite&svc.password=ignite';
        const { error } = await bounded.send(`cmd=qryfldexe&${query}&${login}`, {
          method: 'POST',
          body: new URLSearchParams({ qry }),
        });
        return error;
      };
      expect(await bound('pageSize=10&timeout=0', endless('CAPPED'))).toContain('cancelled');
      await untilGone('CAPPED');
      const many = 'SELECT a.id, b.id FROM item a, item b';
      expect(await bound('pageSize=100000', many)).toContain('its result is too large');
      expect(await bound('pageSize=10', many)).toBeNull();
    });

    test('a statement whose client has left is ended at the nodes', async () => {
      const leaving = new AbortController();
      const running = run('ann', endless('LEFT'), leaving.signal).catch(() => undefined);
      await untilRunning('LEFT');
      leaving.abort();
      await running;
      await untilGone('LEFT');
    });

    test('an idle cursor is ended by its owner or an administrator', async () => {
      for (const user of ['ann', 'ignite']) {
        const { response } = await ask('ann', 'cmd=qryfldexe&pageSize=1', { qry: 'SELECT id FROM item' });
        const { queryId } = response as { queryId: number };
        expect((await ask('bob', `cmd=qrykill&qryId=${queryId}`)).error).toContain('Failed to find query');
        expect((await ask(user, `cmd=qrykill&qryId=${queryId}`)).response).toBe(true);
        expect((await ask('ann', `cmd=qryfetch&pageSize=1&qryId=${queryId}`)).error).toContain('Failed to find query');
      }
    });

    test('a user with all cursors gives some up for another one', async () => {
      const open = async (user: string): Promise<number> => {
        const { response, error } = await ask(user, 'cmd=qryfldexe&pageSize=1', { qry: 'SELECT id FROM item' });
        if (error !== null) throw new Error(error);
        return (response as { queryId: number }).queryId;
      };
      const ids: number[] = [];
      for (let count = 0; count < CURSORS; count++) ids.push(await open('ann'));
      for (let count = 0; count < CURSORS / 2; count++) await open('bob');
      const left = await Promise.all(ids.map((id) => ask('ann', `cmd=qryfetch&pageSize=1&qryId=${id}`)));
      expect(left.filter(({ error }) => error === null)).toHaveLength(CURSORS / 2);
    });
  });
}
