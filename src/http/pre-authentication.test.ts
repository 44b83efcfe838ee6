/** Requests whose head is pre-authenticated before their body has arrived. */
import { expect, test } from 'bun:test';
import { Trial } from '../../test/fixtures/http/connection.ts';
import { gridError } from '../base/errors.ts';
import type { PreAuthentication } from '../service/request.ts';

const ANNOUNCED = (bytes: number) =>
  `POST /c?cmd=put HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

const REJECTED = gridError('SIGNATURE_WRONG', 'wrong');
const LARGE = 20_000;

for (const [title, head] of [
  ['large', ANNOUNCED(LARGE)],
  ['in chunks', ANNOUNCED(3).replace('Content-Length: 3', 'Transfer-Encoding: chunked')],
] as const) {
  test(`a request whose head is rejected is answered without its body, which is ${title}`, () => {
    const trial = new Trial();
    trial.bodyLimitBytes = 50_000;
    trial.preAuthentication = REJECTED;
    trial.feed(`${head}abc`);
    const [seen] = trial.seen;
    expect([trial.statuses, seen?.bodyDropped, seen?.preAuthentication, seen?.body?.length]).toEqual([
      [200],
      true,
      REJECTED,
      undefined,
    ]);
    expect(trial.sent).toContain('Connection: close');
    trial.feed('GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n');
    expect([trial.seen.length, trial.state, trial.requests.usedBytes]).toEqual([1, 'shut', 0]);
  });
}

test('waits two ticks for the small body of a request whose head is rejected', () => {
  const complete = new Trial();
  complete.preAuthentication = REJECTED;
  complete.feed(`${ANNOUNCED(4)}abc`);
  complete.pass(1);
  complete.feed('d');
  expect([complete.statuses, complete.seen[0]?.bodyDropped, complete.seen[0]?.preAuthentication]).toEqual([
    [200],
    false,
    REJECTED,
  ]);
  const expired = new Trial();
  expired.preAuthentication = REJECTED;
  expired.feed(`${ANNOUNCED(4)}ab`);
  expired.pass(1);
  expired.feed('c');
  expired.pass(1);
  expect([expired.statuses, expired.seen[0]?.bodyDropped, expired.state, expired.requests.usedBytes]).toEqual([
    [200],
    true,
    'shut',
    0,
  ]);
});

test('sends 100 Continue only after the head has been pre-authenticated', async () => {
  for (const [preAuthentication, statuses] of [
    ['known', [100]],
    ['unknown', [100]],
    [REJECTED, [200]],
  ] as const) {
    const trial = new Trial();
    trial.bodyLimitBytes = 50_000;
    const later = Promise.withResolvers<PreAuthentication>();
    trial.preAuthentication = later.promise;
    trial.feed(ANNOUNCED(LARGE).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    expect(trial.sent).toBe('');
    later.resolve(preAuthentication);
    await Bun.sleep(0);
    expect(trial.statuses).toEqual([...statuses]);
  }
});

test('does not pre-authenticate when a small body arrived with it', () => {
  const trial = new Trial();
  trial.preAuthentication = REJECTED;
  trial.feed(`${ANNOUNCED(3)}abc`);
  expect([trial.seen[0]?.bodyDropped, trial.seen[0]?.preAuthentication, trial.statuses]).toEqual([
    false,
    undefined,
    [200],
  ]);
});

test('a later pre-authentication ends the body, frees it or moves it to the budget of known senders', async () => {
  for (const preAuthentication of [REJECTED, 'known', 'unknown'] as const) {
    const trial = new Trial();
    trial.bodyLimitBytes = 50_000;
    const later = Promise.withResolvers<PreAuthentication>();
    trial.preAuthentication = later.promise;
    trial.feed(`${ANNOUNCED(LARGE)}${'x'.repeat(LARGE - 100)}`);
    later.resolve(preAuthentication);
    await later.promise;
    await Bun.sleep(0);
    expect(trial.statuses).toEqual(preAuthentication === REJECTED ? [200] : []);
    trial.feed('x'.repeat(100));
    const length = preAuthentication === REJECTED ? undefined : LARGE;
    expect([trial.seen.length, trial.seen[0]?.body?.length, trial.requests.usedBytes]).toEqual([1, length, 0]);
  }
});
