/** An import into a service that temporarily cannot store: how often the rest is sent, and when the import gives up. */
import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Timer } from '../../../src/base/clock.ts';
import { ManualClock } from '../../fixtures/base/manual-clock.ts';
import { runSvc } from '../../fixtures/cli/terminal.ts';
import { newFolder } from '../service-process.ts';

const folder = newFolder();
const file = join(folder, 'rows.csv');
writeFileSync(file, `key,value\n${'a,1\n'.repeat(100)}`);
afterAll(() => rmSync(folder, { recursive: true }));

/** A clock whose time passes whenever it is waited on. */
class WaitingClock extends ManualClock {
  override after(delayMs: number, action: () => void): Timer {
    this.endOfTick(() => {
      this.advance(delayMs);
      action();
    });
    return { cancel() {} };
  }
}

/** Starts a service on a full disk that stores `rowsPerTry` rows of each request. */
function startFull(rowsPerTry: number) {
  let rows = 0;
  let tries = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const command = new URL(request.url).searchParams.get('cmd');
      if (command === 'importrmv') return Response.json({ successStatus: 0, response: true });
      if (command === 'import') {
        await request.text();
        tries++;
        rows = Math.min(100, rows + rowsPerTry);
      }
      const state = rows === 100 ? 'done' : 'open';
      const response = { importId: 'i', state, rows, skipped: 0, rejected: 0, offset: rows, line: rows, errors: [] };
      if (command === 'importstate' || state === 'done') return Response.json({ successStatus: 0, response });
      const error = { code: 'STORAGE_LOW', message: 'The disk is almost full' };
      return Response.json({ successStatus: 1, error, response }, { status: 503 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/svc`,
    tries: () => tries,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function importInto(url: string) {
  return runSvc(['import', file, '--cache', 'c', '--url', url], { cwd: folder, clock: new WaitingClock() });
}

test('gives up when nothing is stored for a minute, and says once why it retrying', async () => {
  await using service = startFull(0);
  const { exitCode, errors } = await importInto(service.url);
  expect([exitCode, errors.match(/retrying/g)?.length]).toEqual([1, 1]);
  expect(errors).toContain('interrupted (The disk is almost full), retrying\n');
  expect(errors).toEndWith('svc: The disk is almost full\n');
  expect(service.tries()).toBeWithin(50, 70);
});

test('goes on for as long as rows are stored', async () => {
  await using service = startFull(1);
  const { exitCode, output } = await importInto(service.url);
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^100 imported/)]);
  expect(service.tries()).toBe(100);
});
