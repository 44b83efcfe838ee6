/** The console while others change what it shows, and when its connection breaks, in headless Chromium. */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { queryOf, startService } from '../../system/service-process.ts';
import { browserTest, type ConsolePage, NOTE, openConsole, startForTests } from '../console-page.ts';

setDefaultTimeout(180_000);

const sql = (qry: string) => started.service.command(queryOf({ cmd: 'qryfldexe', pageSize: 10, qry }));

const started = startForTests(startService, async () => {
  await sql('CREATE TABLE sale (id INT PRIMARY KEY, day DATE, note VARCHAR) WITH "CHANGE_FEED=true"');
  await sql("INSERT INTO sale VALUES (10, DATE '2026-01-02', 'ten'), (20, DATE '2026-01-03', 'twenty')");
});

async function openTable(tab = '', origin = started.service.origin): Promise<ConsolePage> {
  const console = await openConsole(started.browser, origin);
  await console.page.evaluate(`location.hash = '#/caches?name=SQL_PUBLIC_SALE${tab}'`);
  return console;
}

/** Passes connections on to the service, until they are cut. */
async function startRelay() {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(Number(new URL(started.service.origin).port), '127.0.0.1');
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    }
    client.pipe(target).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    cut(): void {
      for (const socket of open) socket.resetAndDestroy();
    },
    [Symbol.dispose](): void {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

describe(`while others change the data${NOTE}`, () => {
  browserTest('a change of a cell and a selection keep their rows, though others move', async () => {
    await using console = await openTable();
    const { page } = console;
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByText('changes a second').waitFor();
    const called = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
    await called('ten').click();
    await page.keyboard.press('F2');
    await page.getByLabel('New value of NOTE').fill('changed');
    await sql("INSERT INTO sale (id, note) VALUES (5, 'five')");
    await page.waitForTimeout(2_500);
    await page.getByText(`SET "NOTE" = 'changed' WHERE "ID" = 10 AND`).waitFor();
    await page.keyboard.press('Enter');
    await called('changed').waitFor();
    await called('five').waitFor();

    await called('twenty').click();
    await page.keyboard.press(' ');
    await page.getByText('1 row is selected.').waitFor();
    await sql("INSERT INTO sale (id, note) VALUES (6, 'six')");
    await page.waitForTimeout(2_500);
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByText('"ID" = 20').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await called('six').waitFor();
    const { items } = (await sql('SELECT id, note FROM sale ORDER BY id')) as { items: unknown };
    expect(items).toEqual([
      [5, 'five'],
      [6, 'six'],
      [10, 'changed'],
      [20, 'twenty'],
    ]);
    expect(console.problems).toEqual([]);
  });

  browserTest('a date of which a part is missing is not saved, and lines of a text stay lines', async () => {
    await sql("INSERT INTO sale VALUES (30, DATE '2026-02-03', CONCAT('one', CHAR(10), 'two'))");
    await using console = await openTable();
    const { page } = console;
    await page.getByLabel('Filter ID').fill('30');
    await page.getByText('1 row,').waitFor();
    await page.getByRole('gridcell', { name: '2026-02-03' }).click();
    await page.keyboard.press('F2');
    await page.getByLabel('New value of DAY').focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.getByLabel('New value of DAY').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: 'one' }).click();
    await page.keyboard.press('F2');
    const note = page.getByRole('dialog').getByLabel('NOTE VARCHAR');
    await note.fill('one\ntwo\nthree');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { items } = (await sql('SELECT day, note FROM sale WHERE id = 30')) as { items: unknown };
    expect(items).toEqual([['2026-02-03', 'one\ntwo\nthree']]);
    expect(console.problems).toEqual([]);
  });

  browserTest('a feed goes on behind its last change when the connection is there again', async () => {
    using relay = await startRelay();
    await using console = await openTable('&tab=feed', relay.origin);
    const { page } = console;
    await page.locator('.live-state', { hasText: 'Live' }).waitFor();
    await sql("UPDATE sale SET note = 'before' WHERE id = 20");
    await page.getByText('→ before').waitFor();
    relay.cut();
    await page.locator('.live-state', { hasText: 'Connecting' }).waitFor();
    await sql("UPDATE sale SET note = 'meanwhile' WHERE id = 20");
    await page.locator('.live-state', { hasText: 'Live' }).waitFor();
    await page.getByText('→ meanwhile').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Filter', { exact: true }).fill('meanwhile');
    await page.getByText('→ before').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByLabel('Filter', { exact: true }).fill('');
    await started.service.command('cmd=changefeed&cacheName=SQL_PUBLIC_SALE&enabled=false');
    await page.getByText('feed switched off').waitFor();
  });
});
