/** The memory of statements that run at once has a common bound (`query.maxTotalMemoryBytes`). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

const MEBIBYTE = 1024 * 1024;
const LIMIT_MS = 120_000;
const TOTAL_BYTES = 48 * MEBIBYTE;
const AT_ONCE = 6;
const MEDIAN = 'SELECT MEDIAN(x) FROM SYSTEM_RANGE(1, 1000000000)';

let service: ServiceProcess;

function run(qry: string): Promise<Answer> {
  return service.send('cmd=qryfldexe&pageSize=1', { method: 'POST', body: new URLSearchParams({ qry }) });
}

beforeAll(async () => {
  const limits = {
    SVC_QUERY_MAX_MEMORY_BYTES: String(32 * MEBIBYTE),
    SVC_QUERY_MAX_TOTAL_MEMORY_BYTES: String(TOTAL_BYTES),
  };
  service = await startService({ env: limits });
}, LIMIT_MS);
afterAll(() => service[Symbol.asyncDispose]());

test(
  'statements that together need more memory than the bound are ended until the others fit',
  async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => run(MEDIAN)));
    const ended = answers.filter(
      ({ error }) => error?.includes(`need too much memory [limit=${TOTAL_BYTES}]`) === true,
    );
    expect(ended.length).toBeGreaterThan(0);
    expect(ended[0]?.http).toBe(503);
    expect(ended[0]?.error).toContain('because all running queries together');
  },
  LIMIT_MS,
);
