/** The default of pageSize: by the option, in the command line, and in the client. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SvcClient } from '../../src/client/client.ts';
import { runSvcProcess } from './cli/cli-process.ts';
import { type ServiceProcess, startService } from './service-process.ts';

let plain: ServiceProcess;
let sized: ServiceProcess;
beforeAll(async () => {
  plain = await startService();
  sized = await startService({ env: { SVC_QUERY_DEFAULT_PAGE_SIZE: '3' } });
  await sized.command('cmd=putall&k1=a&v1=1&k2=b&v2=2&k3=c&v3=3&k4=d&v4=4');
}, 60_000);
afterAll(() => Promise.all([plain, sized].map((service) => service[Symbol.asyncDispose]())));

const RANGE = 'SELECT X FROM SYSTEM_RANGE(1, 5)';
const QUERY = `cmd=qryfldexe&qry=${encodeURIComponent(RANGE)}`;

test('it is required without the option', async () => {
  for (const query of [QUERY, 'cmd=qryscanexe', 'cmd=qryfetch&qryId=1']) {
    expect((await plain.send(query)).error).toContain('pageSize');
  }
});

test('the option is the page size of queries, scans and further pages that name none [16.10]', async () => {
  const first = (await sized.command(QUERY)) as { items: unknown[]; last: boolean; queryId: number };
  expect([first.items, first.last]).toEqual([[[1], [2], [3]], false]);
  expect(await sized.command(`cmd=qryfetch&qryId=${first.queryId}`)).toMatchObject({ items: [[4], [5]], last: true });
  expect(await sized.command(`${QUERY}&pageSize=4`)).toMatchObject({ items: [[1], [2], [3], [4]], last: false });
  const scan = (await sized.command('cmd=qryscanexe')) as { items: unknown[]; last: boolean };
  expect([scan.items.length, scan.last]).toEqual([3, false]);
});

test('a query that fits one page leaves no cursor open, whoever sets the size', async () => {
  for (const size of [5, 6]) {
    const page = (await plain.command(`${QUERY}&pageSize=${size}`)) as { last: boolean; queryId: number };
    expect(page.last).toBe(true);
    expect((await plain.send(`cmd=qryfetch&pageSize=1&qryId=${page.queryId}`)).error).toContain('Failed to find query');
  }
  const { last } = (await sized.command('cmd=qryfldexe&qry=SELECT+1')) as { last: boolean };
  expect(last).toBe(true);
  const metrics = await (await fetch(`${plain.origin}/metrics`)).text();
  expect(metrics).toMatch(/^svc_open_cursors 0$/m);
});

test('commands of the command line have one', async () => {
  const { exitCode, output } = await runSvcProcess(['qryfldexe', `qry=${RANGE}`, '--url', plain.url], {
    cwd: plain.dataDir,
  });
  expect(exitCode).toBe(0);
  expect(output).toContain('5');
});

test('methods of the client have one', async () => {
  const client = new SvcClient({ url: plain.url });
  const page = await client.qryfldexe({ qry: RANGE });
  expect([page.items.length, page.last]).toEqual([5, true]);
  expect((await client.qryscanexe({})).last).toBe(true);
});
