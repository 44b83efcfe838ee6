/** The requests of the checkpointer to a continuous backup whose log has grown too long. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../../test/fixtures/base/manual-clock.ts';
import { systemClock } from '../../../../base/clock.ts';
import { ContinuousBackup, type LogNeed } from './continuous-backup.ts';
import type { ShippingRequest } from './shipping-messages.ts';

const MAX_LOG_BYTES = 1_000;
const requestOf = (folder: string): ShippingRequest => ({
  path: join(folder, 'svc.db'),
  folder,
  url: 'file:///unused',
  assumesSoleWriter: false,
  intervalMs: 1_000,
  pitrWindowMs: 1_000,
  retentionMs: 1_000,
  bytesPerSecond: 0,
  minFreeBytes: undefined,
  processId: process.pid,
});
/** The log is given up earlier, since changes continue meanwhile. */
const GIVEN_UP_BYTES = 900;
const need = (logBytes: number, isDiskShort = false): LogNeed => ({ logBytes, isDiskShort });
/** A process that ships nothing, as if the destination were unreachable, and records that it was started. */
const PROGRAM = `
  require('node:fs').appendFileSync(process.argv[1], 'started ');
  process.send({ type: 'listening' });
  process.on('message', () => {});
`;

test('a status that is too old is a failure, and so is none at all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-continuous-'));
  const lines: string[] = [];
  const clock = new ManualClock();
  const started = new Date(clock.nowMs()).toISOString();
  const backup = new ContinuousBackup({
    request: requestOf(folder),
    maxLogBytes: MAX_LOG_BYTES,
    command: [process.execPath, '-e', PROGRAM, join(folder, 'starts')],
    environment: process.env,
    clock,
    log: (level, text) => lines.push(`${level}: ${text}`),
  });
  try {
    clock.advance(15_000);
    expect(backup.status()).toMatchObject({ state: 'starting', reason: null, reportAgeMs: 15_000 });
    for (let seconds = 0; seconds < 30; seconds++) clock.advance(1_000);
    const reason = `its process has not reported since ${started}: it hangs, or its destination does`;
    const behindSinceMs = Date.parse(started);
    expect(backup.status()).toMatchObject({
      state: 'waiting',
      reason,
      behindSinceMs,
      failures: 1,
      reportAgeMs: 45_000,
    });
    expect(lines).toEqual([`error: Continuous backup waits: ${reason}`]);
    expect([backup.permitsWriteBack, backup.usedLogBytes()]).toEqual([false, undefined]);
    // Nothing waits for a process that hangs, and how far it was behind outlives it.
    const prepared = backup.prepareRelease(need(GIVEN_UP_BYTES));
    clock.advance(1_000);
    expect(await prepared).toBe(false);
    expect(await backup.prepareRelease(need(GIVEN_UP_BYTES + 1))).toBe(true);
    expect(backup.status()).toMatchObject({ state: 'waiting', reason: 'it was ended', behindSinceMs });
  } finally {
    await backup.end();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a log that has grown too long may be written back before changes wait, and shipping starts anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-continuous-'));
  const starts = join(folder, 'starts');
  const lines: string[] = [];
  const backup = new ContinuousBackup({
    request: requestOf(folder),
    maxLogBytes: MAX_LOG_BYTES,
    command: [process.execPath, '-e', PROGRAM, starts],
    environment: process.env,
    clock: systemClock,
    log: (level, text) => lines.push(`${level}: ${text}`),
  });
  const startsSoFar = (): string => readFileSync(starts, { encoding: 'utf8', flag: 'a+' });
  const untilStarts = async (text: string): Promise<void> => {
    while (startsSoFar() !== text) await Bun.sleep(10);
  };
  try {
    await untilStarts('started ');
    expect([backup.permitsWriteBack, backup.canRelease(need(GIVEN_UP_BYTES))]).toEqual([false, false]);
    expect(backup.canRelease(need(GIVEN_UP_BYTES + 1))).toBe(true);
    expect(backup.canRelease(need(1, true))).toBe(true);
    expect(await backup.prepareRelease(need(GIVEN_UP_BYTES + 1))).toBe(true);
    // Frames written meanwhile are also given up, and that is logged once.
    expect(await backup.prepareRelease(need(GIVEN_UP_BYTES + 2))).toBe(true);
    expect(lines).toEqual([expect.stringContaining('error: The log is about to pass backup.maxLogBytes (1000)')]);
    expect([backup.permitsWriteBack, await backup.release()]).toEqual([true, true]);
    await backup.keep();
    await untilStarts('started started ');
    expect(backup.permitsWriteBack).toBe(false);
  } finally {
    await backup.end();
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);

test('a short log is given up, too, when the disk has room for nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-continuous-'));
  const lines: string[] = [];
  const backup = new ContinuousBackup({
    request: requestOf(folder),
    maxLogBytes: MAX_LOG_BYTES,
    command: [process.execPath, '-e', PROGRAM, join(folder, 'starts')],
    environment: process.env,
    clock: new ManualClock(),
    log: (level, text) => lines.push(`${level}: ${text}`),
  });
  try {
    expect(await backup.prepareRelease(need(1, true))).toBe(true);
    expect(lines).toEqual([expect.stringContaining('error: The disk is full but for what the log takes')]);
    expect(backup.permitsWriteBack).toBe(true);
  } finally {
    await backup.end();
    rmSync(folder, { recursive: true, force: true });
  }
});
