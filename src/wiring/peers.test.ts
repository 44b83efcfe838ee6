import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../test/model/model-grid.ts';
import type { Grid } from '../grid/grid.ts';
import type { Outcome, RawRequest } from '../service/request.ts';
import { newCursorTag, Peers } from './peers.ts';

const OWN = 5;
const OTHER = 6;
const idOf = (tag: number, count: number): string => String(tag * 2 ** 32 + count);

function request(query: string, headers: Readonly<Record<string, string>> = {}): RawRequest {
  const params = new Map(new URLSearchParams(query));
  return {
    cmd: params.get('cmd'),
    params,
    header: (name) => headers[name] ?? null,
    peerAddress: () => '127.0.0.1',
    peerNetwork: () => ({ name: '127.0.0.1', isConnection: false }),
    method: 'GET',
    signal: () => new AbortController().signal,
    end: () => {},
  };
}

const HERE: Outcome = {
  successStatus: 0,
  http: 200,
  error: null,
  response: '"here"',
  affinityNodeId: undefined,
  sessionToken: null,
  securitySubjectId: null,
};

describe('a request for a cursor of another service', () => {
  let grid: Grid;
  let peers: Peers;
  let other: ReturnType<typeof Bun.serve>;
  const seen: Array<{ body: string; headers: Headers }> = [];
  let answer = new Response('');
  beforeAll(async () => {
    const clock = new ManualClock();
    const failures = {
      httpStatus: false,
      errorObjects: false,
      json: { httpStatus: true, errorObjects: true },
    };
    grid = openModelGrid({ clock });
    peers = new Peers({ records: grid.records, clock, tag: OWN, onFailure: () => {}, failures });
    other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        seen.push({ body: await request.text(), headers: request.headers });
        return answer;
      },
    });
    const otherPeers = new Peers({ records: grid.records, clock, tag: OTHER, onFailure: () => {}, failures });
    await otherPeers.announce(`http://127.0.0.1:${other.port}/svc`);
  });
  afterAll(async () => {
    await other.stop(true);
    await grid.close();
  });
  const send = (query: string, headers?: Readonly<Record<string, string>>) =>
    peers.forward(request(query, headers), () => HERE);
  const envelope = (text: string): Response => new Response(text, { headers: { 'content-type': 'application/json' } });

  test('is forwarded with the credentials of the client and without losing digits', async () => {
    answer = envelope(
      '{"successStatus":0,"sessionToken":"T","securitySubjectId":null,"error":null,"response":{"items":[[9007199254740993]]}}',
    );
    const outcome = await send(`cmd=qryfetch&qryId=${idOf(OTHER, 1)}&pageSize=2&sessionToken=T`, {
      'x-signature': 's',
    });
    expect(outcome).toMatchObject({
      successStatus: 0,
      sessionToken: 'T',
      response: '{"items":[[9007199254740993]]}',
    });
    const forwarded = seen.at(-1);
    expect(forwarded?.body).toBe(`cmd=qryfetch&qryId=${idOf(OTHER, 1)}&pageSize=2&sessionToken=T`);
    expect(forwarded?.headers.get('x-signature')).toBe('s');
    expect(forwarded?.headers.get('x-svc-passed-on')).toBe('1');
  });

  test('returns the error of the other service', async () => {
    answer = envelope(
      '{"successStatus":1,"sessionToken":null,"securitySubjectId":null,"error":"no \\"error\\":null","response":null}',
    );
    const outcome = await send(`cmd=QRYCLS&qryId=${idOf(OTHER, 1)}`);
    expect(outcome).toMatchObject({ successStatus: 1, error: 'no "error":null', response: 'null' });
  });

  test('returns rows if the client accepts rows', async () => {
    answer = new Response('[1]\n', { headers: { 'content-type': 'application/x-ndjson;charset=utf-8' } });
    const outcome = await send(`cmd=qryfetch&qryId=${idOf(OTHER, 1)}&pageSize=2`, { accept: 'application/x-ndjson' });
    expect(outcome).toMatchObject({ response: '[1]\n', contentType: 'application/x-ndjson;charset=utf-8' });
    expect(seen.at(-1)?.headers.get('accept')).toBe('application/x-ndjson');
  });

  const LOCAL: ReadonlyArray<readonly [string, string, Readonly<Record<string, string>>?]> = [
    ['a cursor of this service', `cmd=qryfetch&qryId=${idOf(OWN, 1)}&pageSize=2`],
    ['a cursor of an unknown service', `cmd=qryfetch&qryId=${idOf(7, 1)}&pageSize=2`],
    ['an invalid id', 'cmd=qryfetch&qryId=x&pageSize=2'],
    ['another command', `cmd=get&key=a&qryId=${idOf(OTHER, 1)}`],
    ['a request that was forwarded already', `cmd=qryfetch&qryId=${idOf(OTHER, 1)}`, { 'x-svc-passed-on': '1' }],
  ];
  for (const [title, query, headers] of LOCAL) {
    test(`${title} is not forwarded`, async () => {
      const before = seen.length;
      expect(await send(query, headers)).toBe(HERE);
      expect(seen.length).toBe(before);
    });
  }

  test('fails with the address of the other service if that is unreachable', async () => {
    const { port } = other;
    await other.stop(true);
    const outcome = await send(`cmd=qryfetch&qryId=${idOf(OTHER, 1)}&pageSize=2`);
    expect(outcome.successStatus).toBe(1);
    expect(outcome.error).toContain(`url=http://127.0.0.1:${port}/svc`);
  });
});

test('cursor ids with tags are safe integers', () => {
  for (let times = 0; times < 100; times++) {
    expect(Number.isSafeInteger(newCursorTag() * 2 ** 32 + 2 ** 32 - 1)).toBe(true);
  }
});
