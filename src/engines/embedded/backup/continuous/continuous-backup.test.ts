/** What the checkpointer asks of a continuous backup whose log has grown too long. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../base/clock.ts';
import { ContinuousBackup } from './continuous-backup.ts';

const MAX_LOG_BYTES = 1_000;
/** The log is given up earlier, since changes go on meanwhile. */
const GIVEN_UP_BYTES = 900;
/** A process that ships nothing, as while the destination is away, and notes that it was started. */
const PROGRAM = `
  require('node:fs').appendFileSync(process.argv[1], 'started ');
  process.send({ type: 'listening' });
  process.on('message', () => {});
`;

test('a log that has grown too long may be written back before changes wait, and shipping starts anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-continuous-'));
  const starts = join(folder, 'starts');
  const lines: string[] = [];
  const backup = new ContinuousBackup({
    request: {
      path: join(folder, 'svc.db'),
      folder,
      url: 'file:///unused',
      isGuarded: false,
      intervalMs: 1_000,
      secondsForMs: 1_000,
      retentionMs: 1_000,
      bytesPerSecond: 0,
      processId: process.pid,
    },
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
    expect([backup.permitsWriteBack, backup.canRelease(GIVEN_UP_BYTES)]).toEqual([false, false]);
    expect(backup.canRelease(GIVEN_UP_BYTES + 1)).toBe(true);
    expect(await backup.prepareRelease(GIVEN_UP_BYTES + 1)).toBe(true);
    // What was written meanwhile is given up, too, and that is said once.
    expect(await backup.prepareRelease(GIVEN_UP_BYTES + 2)).toBe(true);
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
