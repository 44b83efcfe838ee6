import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../base/clock.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';

/** Requests that reached the service, and those that were recorded. */
const received: string[] = [];
const recorded: string[] = [];
let service: Bun.Server<undefined>;
let proxy: RecordingProxy;
let lenient: RecordingProxy;

beforeAll(() => {
  service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      received.push(new URL(request.url).search);
      return Response.json({ successStatus: 0, error: null, response: 'a', sessionToken: null });
    },
  });
  const start = (origins: readonly string[], hosts: readonly string[]) =>
    startRecordingProxy({
      upstream: `http://127.0.0.1:${service.port}/ignite`,
      hostname: '127.0.0.1',
      port: 0,
      origins,
      hosts,
      recordsAnswers: true,
      clock: systemClock,
      tls: {},
      onExchange: ({ target }) => recorded.push(target),
    });
  proxy = start([], []);
  lenient = start(['https://app.example'], ['grid.example']);
});
afterAll(async () => {
  await Promise.all([proxy.stop(), lenient.stop(), service.stop(true)]);
});

/** Returns the status of a request, and whether it was forwarded and recorded. */
async function send(to: RecordingProxy, headers: Readonly<Record<string, string>>, path = '/ignite') {
  received.length = 0;
  recorded.length = 0;
  const response = await fetch(`http://127.0.0.1:${to.port}${path}?cmd=get&key=1`, { headers });
  const text = await response.text();
  return { status: response.status, text, forwarded: received.length, recorded: recorded.length };
}

describe('a request', () => {
  /**
   * The title, the headers by port, and whether the default proxy and the one with other hosts and origins forward the
   * request.
   */
  const cases: ReadonlyArray<readonly [string, (port: number) => Readonly<Record<string, string>>, boolean, boolean]> =
    [
      ['of a script', () => ({}), true, true],
      ['for localhost', (port) => ({ Host: `localhost:${port}` }), true, true],
      ['of a page of the proxy itself', (port) => ({ Origin: `http://127.0.0.1:${port}` }), true, true],
      ['of a name that points here', (port) => ({ Host: `rebound.example:${port}` }), false, false],
      ['of another name that is accepted', (port) => ({ Host: `grid.example:${port}` }), false, true],
      ['of a page of another site', () => ({ Origin: 'https://evil.example' }), false, false],
      ['of a page that is accepted', () => ({ Origin: 'https://app.example' }), false, true],
      ['of an image on another site', () => ({ 'Sec-Fetch-Site': 'cross-site' }), false, false],
      ['of an image in an older browser', () => ({ Referer: 'https://evil.example/page' }), false, false],
    ];
  for (const [title, headers, byDefault, byLenient] of cases) {
    test(title, async () => {
      for (const [to, passes] of [
        [proxy, byDefault],
        [lenient, byLenient],
      ] as const) {
        const { status, forwarded, recorded: kept, text } = await send(to, headers(to.port));
        expect([status, forwarded, kept]).toEqual(passes ? [200, 1, 1] : [403, 0, 0]);
        if (!passes)
          expect(text).toMatch(/^svc record: .* comes from another site: .*\(allow it with the option http\.\w+\)\n$/);
      }
    });
  }

  test('for another path of the service is checked, too', async () => {
    const { status, forwarded } = await send(proxy, { Host: 'rebound.example' }, '/console');
    expect([status, forwarded]).toEqual([403, 0]);
  });
});
