/** A process that hangs is ended, and a working one is not, however long its work blocks it. */
import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { BackupProcess, reportAlive } from './child-process.ts';

const SILENT_MS = 60_000;
const LOOK_MS = 5_000;

const REPORTS = `setInterval(() => process.send('alive'), 20);`;
/** Lets the parent call it, and never answers. */
const LISTENS = `process.on('message', () => {}); process.send('alive');`;

test.each<[string, string, { readonly isStopped?: boolean; readonly isEnded: boolean }]>([
  ['reports nothing and does nothing', LISTENS, { isEnded: true }],
  ['reports', `${LISTENS} ${REPORTS}`, { isEnded: false }],
  ['is stopped while it reports', `${LISTENS} ${REPORTS}`, { isStopped: true, isEnded: true }],
  ['is blocked by its work', `${LISTENS} setTimeout(() => { for (;;); }, 20);`, { isEnded: false }],
  ['is stopped in its work', `${LISTENS} setTimeout(() => { for (;;); }, 20);`, { isStopped: true, isEnded: true }],
])(
  'a process that %s',
  async (_, program, { isStopped = false, isEnded }) => {
    const clock = new ManualClock();
    const child = new BackupProcess<{ work: { request: null; response: null } }, Record<string, never>>(
      { command: [process.execPath, '-e', program], environment: process.env, clock },
      { silentMs: SILENT_MS },
    );
    const called = child.call('work', null).then(String, String);
    await Bun.sleep(500);
    if (isStopped) process.kill(child.processId, 'SIGSTOP');
    for (let ms = 0; ms < 2 * SILENT_MS; ms += LOOK_MS) {
      clock.advance(LOOK_MS);
      // Longer than a tick of the processor's time.
      await Bun.sleep(40);
    }
    const answer = await Promise.race([called, Bun.sleep(10).then(() => 'none')]);
    if (isEnded) expect(answer).toContain('its process hangs: nothing from it for 60 s');
    else expect(answer).toBe('none');
    await child.close();
    expect(child.isHung).toBe(false);
  },
  30_000,
);

test('a process reports to the one that has started it', () => {
  const clock = new ManualClock();
  const sent: unknown[] = [];
  const { send } = process;
  process.send = (message: unknown) => sent.push(message) > 0;
  try {
    reportAlive(clock);
    clock.advance(3_000);
    expect(sent).toEqual(['alive', 'alive', 'alive']);
  } finally {
    if (send === undefined) delete process.send;
    else process.send = send;
  }
});
