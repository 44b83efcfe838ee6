/** The remains of statements are also bounded: additional statement processes, and cursors that hold back the log. */
import { expect, test } from 'bun:test';
import { type Answer, queryOf, type ServiceProcess, startService } from '../service-process.ts';

const LIMIT_MS = 120_000;
/** The usual threads that read, and the one for changes. */
const USUAL_THREADS = 5;
const STATEMENTS = 10;
const PAGE_LIMIT_MS = 1_000;
const ENDLESS = 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000) a, SYSTEM_RANGE(1, 100000) b, SYSTEM_RANGE(1, 100000) c';

function run(service: ServiceProcess, qry: string, timeout: number, signal?: AbortSignal): Promise<Answer> {
  const body = new URLSearchParams({ qry });
  const init = { method: 'POST', body, ...(signal && { signal }) };
  return service.send(queryOf({ cmd: 'qryfldexe', pageSize: 1, timeout }), init);
}

async function startedThreads({ origin }: ServiceProcess): Promise<number> {
  const page = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_statement_processes\{state="started"\} (\d+)$/m.exec(page)?.[1]);
}

test(
  'statement processes that were started beside long statements end when they are idle, and start again',
  async () => {
    await using service = await startService();
    /** Runs endless statements until more threads have started for them. */
    const occupy = async () => {
      const leaving = new AbortController();
      const statements = Array.from({ length: STATEMENTS }, () =>
        run(service, ENDLESS, LIMIT_MS, leaving.signal).catch(() => undefined),
      );
      while ((await startedThreads(service)) <= USUAL_THREADS) await Bun.sleep(100);
      leaving.abort();
      await Promise.all(statements);
    };
    await occupy();
    while ((await startedThreads(service)) > USUAL_THREADS) await Bun.sleep(100);
    await occupy();
    expect((await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100)', 10_000)).error).toBe(null);
  },
  LIMIT_MS,
);

test(
  'moving the rows of a cursor off its snapshot has the time limit of a page',
  async () => {
    await using service = await startService();
    const perform = async (qry: string) => expect((await run(service, qry, 60_000)).error).toBe(null);
    await perform('CREATE TABLE large(id INT PRIMARY KEY, v VARCHAR)');
    const growing = 'SELECT ARRAY_AGG(x) OVER (ORDER BY x) FROM SYSTEM_RANGE(1, 100000)';
    let opened = await run(service, growing, PAGE_LIMIT_MS);
    // On a busy machine a thread takes longer than the limit to start.
    while (opened.error !== null) opened = await run(service, growing, PAGE_LIMIT_MS);
    const { queryId } = opened.response as { readonly queryId: number };
    // The cursor keeps the log from being reset.
    await perform("INSERT INTO large SELECT x, REPEAT('a', 1000000) FROM SYSTEM_RANGE(1, 100)");
    let failure: string | null = null;
    while (failure === null) {
      // Each page has its own time limit, which also applies to moving rows.
      await Bun.sleep(5 * PAGE_LIMIT_MS);
      failure = (await service.send(queryOf({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 }))).error;
    }
    expect(failure).toMatch(/the time limit is over|too much memory/);
  },
  LIMIT_MS,
);
