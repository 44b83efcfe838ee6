/** Requests whose head has wrong credentials or a wrong signature are answered before their body arrives. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type RawSocket, rawSocket } from '../raw-socket.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const PASSWORD = 'admin-password';
const KEY = 'secret-key';
const UNKNOWN_TOKEN = 'AB'.repeat(16);
const basic = (user: string, password: string) => `Authorization: Basic ${btoa(`${user}:${password}`)}`;
const LARGE = 'Content-Length: 50000000';
/** Far below the 30 s for which a body may be silent; far above the time that a busy machine needs for a password. */
const AT_ONCE_MS = 5_000;

interface Head {
  readonly query?: string;
  readonly headers: readonly string[];
}

function headOf({ query = '?cmd=put&key=a', headers }: Head): string {
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return [`POST /svc${query} HTTP/1.1`, 'Host: localhost', type, ...headers, '', ''].join('\r\n');
}

interface HeadAnswer {
  readonly elapsedMs: number;
  readonly statuses: readonly string[];
  readonly closes: boolean;
  readonly successStatus: number;
  readonly error: string | null;
}

function answerOf(socket: RawSocket, startMs: number): HeadAnswer {
  const received = socket.received();
  const json = JSON.parse(received.slice(received.lastIndexOf('\r\n\r\n') + 4)) as HeadAnswer;
  return {
    elapsedMs: performance.now() - startMs,
    statuses: [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status),
    closes: received.includes('Connection: close'),
    successStatus: json.successStatus,
    error: json.error,
  };
}

/** Sends a head, then the parts of a body, and returns the answer. */
async function exchange({ port }: ServiceProcess, head: Head, ...body: readonly string[]): Promise<HeadAnswer> {
  const socket = await rawSocket(port);
  const startMs = performance.now();
  await socket.send(headOf(head));
  for (const part of body) {
    await Bun.sleep(50);
    await socket.send(part);
  }
  await socket.until((received) => received.includes('"response"'));
  const answer = answerOf(socket, startMs);
  socket.end();
  return answer;
}

for (const workers of WORKERS.map(String)) {
  describe(`with authentication and ${workers} HTTP threads`, () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startService({
        env: { SVC_WORKERS: workers, SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: PASSWORD },
      });
      const admin = `svc.login=svc&svc.password=${PASSWORD}`;
      for (const name of ['ann', 'bob'])
        await service.command(`cmd=adduser&roles=user&user=${name}&password=right&${admin}`);
    }, 60_000);
    afterAll(() => service[Symbol.asyncDispose]());

    const REJECTED: ReadonlyArray<readonly [title: string, head: Head, status: number, error: string]> = [
      ['a wrong password', { headers: [basic('svc', 'x'), LARGE] }, 2, 'user name or password is incorrect'],
      ['an unknown user', { headers: [basic('nobody', 'x'), LARGE] }, 2, '[userName=nobody]'],
      ['an unknown Bearer token', { headers: [`Authorization: Bearer ${UNKNOWN_TOKEN}`, LARGE] }, 1, UNKNOWN_TOKEN],
      [
        'an unknown token in the query',
        { query: `?cmd=put&sessionToken=${UNKNOWN_TOKEN}`, headers: [LARGE] },
        1,
        UNKNOWN_TOKEN,
      ],
      ['a wrong password before a command in the body', { query: '', headers: [basic('svc', 'x'), LARGE] }, 2, '=svc]'],
      ['an unknown command', { query: '?cmd=nosuch', headers: [basic('svc', 'x'), LARGE] }, 2, '=svc]'],
      [
        'an unknown command of a user',
        { query: '?cmd=nosuch', headers: [basic('svc', PASSWORD), LARGE] },
        1,
        'Unknown c',
      ],
      [
        'a wrong password before a body in chunks',
        { headers: [basic('svc', 'x'), 'Transfer-Encoding: chunked'] },
        2,
        '[userName=svc]',
      ],
      [
        'a wrong password from a client that waits for 100',
        { headers: [basic('svc', 'x'), LARGE, 'Expect: 100-continue'] },
        2,
        '[userName=svc]',
      ],
      [
        'an unknown token before a small body that never comes',
        { headers: [`Authorization: Bearer ${UNKNOWN_TOKEN}`, 'Content-Length: 100'] },
        1,
        UNKNOWN_TOKEN,
      ],
      [
        'a wrong password before a small body that never comes',
        { headers: [basic('ann', 'x'), 'Content-Length: 100'] },
        2,
        '[userName=ann]',
      ],
    ];
    for (const [title, head, status, error] of REJECTED) {
      test(`${title} is answered at once, and the connection closes`, async () => {
        const answer = await exchange(service, head);
        expect(answer).toMatchObject({ statuses: [title.startsWith('an unknown command') ? '400' : '200'] });
        expect([answer.closes, answer.successStatus]).toEqual([true, status]);
        expect(answer.error).toContain(error);
        expect(answer.elapsedMs).toBeLessThan(allowedMs(AT_ONCE_MS));
      }, 30_000);
    }

    test('a body that arrives faster than its password is verified changes nothing', async () => {
      const body = `val=${'x'.repeat(30_000)}&svc.login=svc&svc.password=${PASSWORD}`;
      for (const headers of [[`Content-Length: ${body.length}`], ['Transfer-Encoding: chunked']]) {
        const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        const bytes = headers[0]?.includes('chunked') ? chunked : body;
        const socket = await rawSocket(service.port);
        await socket.send(headOf({ headers: [basic('svc', 'wrong'), ...headers] }) + bytes);
        await socket.until((received) => received.includes('"response"'));
        expect(answerOf(socket, 0)).toMatchObject({ successStatus: 2 });
        socket.end();
      }
    }, 30_000);

    test('credentials in a small body outrank an expired token in the header', async () => {
      const body = `svc.login=svc&svc.password=${PASSWORD}`;
      const headers = [`Authorization: Bearer ${UNKNOWN_TOKEN}`, `Content-Length: ${body.length}`];
      const answer = await exchange(service, { query: '?cmd=authenticate', headers }, body.slice(0, 9), body.slice(9));
      expect(answer).toMatchObject({ successStatus: 0, error: null, closes: false });
    }, 30_000);

    test('a right password that was not verified before is verified with the head, for bodies of all sizes', async () => {
      const sizes = [100, 20_000, 3_000_000];
      for (const [at, size] of sizes.entries()) {
        const headers = [
          basic('bob', 'right'),
          `Content-Length: ${size}`,
          ...(at === 1 ? ['Expect: 100-continue'] : []),
        ];
        const answer = await exchange(service, { headers }, 'val=', 'v'.repeat(size - 4));
        expect(answer).toMatchObject({ successStatus: 0, error: null, closes: false });
      }
    }, 30_000);

    test('a wrong password counts once', async () => {
      // The tenth failure would begin a back-off.
      for (let failure = 1; failure <= 8; failure++) {
        const length = failure % 2 === 0 ? LARGE : 'Content-Length: 5';
        const answer = await exchange(
          service,
          { headers: [basic('bob', 'x'), length] },
          ...(failure % 2 ? ['val=1'] : []),
        );
        expect(answer).toMatchObject({ successStatus: 2, error: expect.stringContaining('is incorrect') });
      }
      const answer = await exchange(service, { headers: [basic('bob', 'right'), 'Content-Length: 5'] }, 'val=1');
      expect(answer).toMatchObject({ successStatus: 0, error: null });
    }, 60_000);

    test('the audit log has a line for each, also where the command is not known', async () => {
      await exchange(service, { query: '', headers: [basic('zoe', 'x'), LARGE] });
      await exchange(service, { headers: [basic('yan', 'x'), LARGE] });
      const log = join(service.dataDir, 'log/audit-failures.log');
      const deadlineMs = performance.now() + 5_000;
      const text = () => readFileSync(log, 'utf8');
      while (!(text().includes('=zoe]') && text().includes('=yan]')) && performance.now() < deadlineMs)
        await Bun.sleep(20);
      const lines = text()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const lineOf = (name: string) => lines.find(({ error }) => String(error).includes(`=${name}]`));
      expect(lineOf('zoe')).toMatchObject({ message: 'rejected', user: '', status: 2, address: '127.0.0.1' });
      expect(lineOf('yan')).toMatchObject({ message: 'rejected', command: 'put', status: 2 });
    }, 30_000);
  });
}

describe('with signatures', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_SECRET_KEY: KEY } });
  }, 60_000);
  afterAll(() => service[Symbol.asyncDispose]());

  for (const [title, head] of [
    ['no signature', { headers: [LARGE] }],
    ['a wrong signature', { headers: ['X-Signature: 1:abc', LARGE] }],
    ['a wrong signature before a command in the body', { query: '', headers: ['X-Signature: 1:abc', LARGE] }],
    ['a wrong signature before a small body', { headers: ['X-Signature: 1:abc', 'Content-Length: 100'] }],
  ] as const) {
    test(`${title} is answered at once, and the connection closes`, async () => {
      const answer = await exchange(service, head);
      expect(answer).toMatchObject({ statuses: ['401'], closes: true, successStatus: 3 });
      expect(answer.elapsedMs).toBeLessThan(allowedMs(AT_ONCE_MS));
    }, 30_000);
  }

  test('a valid signature has the body read', async () => {
    const hash = createHash('sha1').update(`1:${KEY}`).digest('base64');
    const headers = [`X-Signature: 1:${hash}`, 'Content-Length: 20000'];
    const answer = await exchange(service, { headers }, 'val=', 'v'.repeat(19_996));
    expect(answer).toMatchObject({ successStatus: 0, closes: false });
  });
});
