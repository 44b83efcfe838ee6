import { expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import type { RestoreCheck } from '../../grid/backup.ts';
import { createEventAudit } from '../monitoring/audit.ts';
import { createLog } from '../monitoring/log.ts';
import { RestoreChecks } from './restore-checks.ts';

const INTERVAL_MS = 3_600_000;

type Answer = Pick<RestoreCheck, 'outcome'> & Partial<RestoreCheck>;

/** Checks, each of which returns the next result. */
function checksOf(clock: ManualClock, answers: Answer[], stored = new Map<string, string>()) {
  const asked: Array<number | undefined> = [];
  const lines: string[] = [];
  const shipping = { is: true };
  const sink = { append: (line: string) => void lines.push(line) };
  const checks = new RestoreChecks({
    async check(atMs) {
      asked.push(atMs);
      const answer = answers.shift() ?? { outcome: 'verified' };
      return { reason: null, atMs: 5_000, position: '0000000000000007', entries: 3, restoredBytes: 4096, ...answer };
    },
    isShipping: () => shipping.is,
    intervalMs: INTERVAL_MS,
    records: {
      get: (_, id) => stored.get(id),
      put: async (_, id, content) => void stored.set(id, content),
    },
    clock,
    log: createLog(sink, 'info', clock),
    recordEvent: createEventAudit({ done: sink, failures: sink }, clock),
  });
  return { checks, asked, lines, shipping, stored };
}

/** Advances the clock in steps, and lets checks end between them. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 60_000) {
    clock.advance(60_000);
    await Bun.sleep(0);
  }
}

test('the first check is made once the service ships, and the next ones keep the interval', async () => {
  const clock = new ManualClock();
  const { checks, asked, shipping, lines } = checksOf(clock, []);
  shipping.is = false;
  await checks.start();
  await pass(clock, INTERVAL_MS);
  expect(asked).toEqual([]);
  expect(checks.report()).toMatchObject({ verifiedMs: 0, last: undefined });
  shipping.is = true;
  await pass(clock, 3 * INTERVAL_MS - 120_000);
  expect(asked).toEqual([undefined, undefined, undefined]);
  expect(checks.report()).toMatchObject({
    counts: { verified: 3, damaged: 0, failed: 0 },
    last: { outcome: 'verified', position: '0000000000000007' },
    isRunning: false,
  });
  expect(lines.join('\n')).toContain('The continuous backup restores');
  expect(lines.join('\n')).toContain('"level":"audit","message":"done","event":"restoreCheck"');
  await checks.close();
});

test('what was found is remembered over a restart, and is not checked again at once', async () => {
  const clock = new ManualClock();
  const first = checksOf(clock, []);
  await first.checks.start();
  await pass(clock, 60_000);
  await first.checks.close();
  const { verifiedMs } = first.checks.report();
  const second = checksOf(clock, [], first.stored);
  await second.checks.start();
  expect(second.checks.report()).toMatchObject({ verifiedMs, nextMs: verifiedMs + INTERVAL_MS });
  await pass(clock, INTERVAL_MS - 300_000);
  expect(second.asked).toEqual([]);
  await second.checks.close();
});

test('damage is reported until the same instant restores', async () => {
  const clock = new ManualClock();
  const damaged = { outcome: 'damaged', reason: 'a byte', position: null } as const;
  const { checks, asked, lines } = checksOf(clock, [damaged, damaged]);
  await checks.start();
  await pass(clock, 2 * INTERVAL_MS - 300_000);
  expect(asked).toEqual([undefined, 5_000]);
  expect(checks.report()).toMatchObject({ verifiedMs: 0, last: { outcome: 'damaged', reason: 'a byte' } });
  expect(lines.join('\n')).toContain('"level":"error","message":"The continuous backup does not restore"');
  expect(lines.join('\n')).toContain('"message":"failed","event":"restoreCheck"');
  await pass(clock, 2 * INTERVAL_MS);
  expect(asked).toEqual([undefined, 5_000, 5_000, undefined]);
  expect(checks.report()).toMatchObject({ last: { outcome: 'verified' }, counts: { damaged: 2, verified: 2 } });
  await checks.close();
});

test('a check that failed is repeated after ten minutes', async () => {
  const clock = new ManualClock();
  const { checks, asked } = checksOf(clock, [{ outcome: 'failed', reason: 'no room' }]);
  await checks.start();
  await pass(clock, 5 * 60_000);
  expect(checks.report()).toMatchObject({ verifiedMs: 0, last: { outcome: 'failed', reason: 'no room' } });
  await pass(clock, 10 * 60_000);
  expect(asked).toHaveLength(2);
  expect(checks.report()).toMatchObject({ last: { outcome: 'verified' } });
  await checks.close();
});
