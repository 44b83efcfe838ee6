/** Limits on the descriptors, memory and time that one client can use, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { WORKERS } from '../modes.ts';
import { rawSocket } from '../raw-socket.ts';
import { type Answer, FIXTURE, type ServiceProcess, startService } from '../service-process.ts';

const MEBIBYTE = 1_024 * 1_024;
const FORM = 'application/x-www-form-urlencoded';

function residentBytes({ pid }: ServiceProcess): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kibibytes) * 1_024;
}

/** Returns the growth of resident memory while `attack` runs. test/abuse measures the latency of other clients. */
async function growthDuring(service: ServiceProcess, attack: () => Promise<void>): Promise<number> {
  const before = residentBytes(service);
  let peak = before;
  let running = true;
  const watching = (async () => {
    while (running) {
      peak = Math.max(peak, residentBytes(service));
      await Bun.sleep(3);
    }
  })();
  try {
    await attack();
  } finally {
    running = false;
    await watching;
  }
  return peak - before;
}

const onLinux = platform() === 'linux' ? describe : describe.skip;

onLinux('without authentication', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({ env: { SVC_WORKERS: '1' } });
  });
  afterAll(() => service.stop());

  test('two million chunks of one byte', async () => {
    const head = `POST /svc?cmd=put&key=a HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const bytes = Buffer.from(`${head}${'1\r\nx\r\n'.repeat(2_000_000)}0\r\n\r\n`);
    const socket = await rawSocket(service.port);
    const grownBytes = await growthDuring(service, async () => {
      await socket.send(bytes);
      while (!socket.received().includes('successStatus') && !socket.closed()) await Bun.sleep(5);
    });
    expect(socket.received()).toContain('Failed to find mandatory parameter in request: val');
    expect(grownBytes).toBeLessThan(60 * MEBIBYTE);
    socket.end();
  }, 60_000);

  test('fifteen stalled bodies', async () => {
    const length = 60_000_000;
    const head = `POST /svc?cmd=version HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: ${length}\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 15 }, () => rawSocket(service.port)));
    const grownBytes = await growthDuring(service, async () => {
      for (const socket of sockets) {
        await socket.send(head);
        await socket.send(Buffer.alloc(length - 1_000, 'x'));
      }
      await Bun.sleep(500);
    });
    const rejected = sockets.filter((socket) => socket.received().startsWith('HTTP/1.1 503'));
    expect(rejected.length).toBeGreaterThanOrEqual(12);
    expect(rejected[0]?.received()).toContain('Retry-After: 1');
    expect(rejected[0]?.received()).toContain('Too many request bytes are buffered [limitBytes=134217728]');
    expect(grownBytes).toBeLessThan((128 + 96) * MEBIBYTE);
    for (const socket of sockets) socket.end();
    await Bun.sleep(200);
  }, 60_000);

  test('large bodies of all types, whose memory is released', async () => {
    const before = residentBytes(service);
    const bodies: ReadonlyArray<readonly [type: string, body: Uint8Array]> = [
      [FORM, Buffer.concat([Buffer.from('x='), Buffer.alloc(20_000_000, 0xff)])],
      [`${FORM};charset=gbk`, Buffer.concat([Buffer.from('x='), Buffer.alloc(20_000_000, '%41x')])],
      [FORM, Buffer.concat([Buffer.from('x='), Buffer.alloc(60_000_000, 'é')])],
      ['application/json', Buffer.concat([Buffer.from('{"x":['), Buffer.alloc(20_000_000, '1,'), Buffer.from('1]}')])],
      ['application/json', Buffer.concat([Buffer.from('{"x":'), Buffer.alloc(20_000_000, '[')])],
    ];
    for (const [type, body] of bodies) {
      const grownBytes = await growthDuring(service, async () => {
        const answer = await fetch(service.url, { method: 'POST', body, headers: { 'Content-Type': type } });
        expect([400, 200]).toContain(answer.status);
        expect(await answer.json()).toHaveProperty('successStatus');
      });
      expect(grownBytes).toBeLessThan(4 * body.length + 32 * MEBIBYTE);
    }
    const deadlineMs = performance.now() + 10_000;
    while (residentBytes(service) > before + 64 * MEBIBYTE && performance.now() < deadlineMs) await Bun.sleep(100);
    expect(residentBytes(service)).toBeLessThan(before + 64 * MEBIBYTE);
  }, 120_000);
});

onLinux('with authentication', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService({
      env: { SVC_WORKERS: '2', SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'svc', SVC_CONFIG: FIXTURE },
    });
  });
  afterAll(() => service.stop());

  const value = 'v'.repeat(2_000_000);
  const post = (body: string, headers: Record<string, string> = {}, query = '') =>
    fetch(`${service.url}${query}`, { method: 'POST', body, headers: { 'Content-Type': FORM, ...headers } });

  const CASES: ReadonlyArray<
    readonly [title: string, body: string, headers: Record<string, string>, status: number, error: string | null]
  > = [
    ['no credentials', `cmd=put&key=a&val=${value}`, {}, 2, 'session token not found'],
    ['no credentials and an invalid body', `cmd=put&key=a&keyType=int&val=${value}%zz`, {}, 2, 'token not found'],
    ['no command', `key=a&val=${value}`, {}, 2, 'cmd'],
    ['an unknown command', `cmd=nosuch&val=${value}`, {}, 2, 'nosuch'],
    ['an unknown token', `sessionToken=${'0'.repeat(32)}&cmd=put&key=a&val=${value}`, {}, 1, '00000000'],
    ['a wrong password', `cmd=put&val=${value}&key=a&svc.login=svc&svc.password=x`, {}, 2, null],
    ['a password after the value', `cmd=put&key=a&val=${value}&svc.login=svc&svc.password=svc`, {}, 0, null],
    ['a password in the header', `cmd=put&key=a&val=${value}`, { Authorization: `Basic ${btoa('svc:svc')}` }, 0, null],
    [
      'a password in JSON',
      JSON.stringify({ cmd: 'put', key: 'a', val: value, user: 'svc', password: 'svc' }),
      { 'Content-Type': 'application/json' },
      0,
      null,
    ],
  ];

  for (const [title, body, headers, status, error] of CASES) {
    test(`a large body with ${title}`, async () => {
      const answer = (await (await post(body, headers)).json()) as { successStatus: number; error: string | null };
      expect(answer.successStatus).toBe(status);
      if (error !== null) expect(answer.error).toContain(error);
    }, 20_000);
  }

  test('unauthenticated large bodies are scanned one at a time', async () => {
    const body = `cmd=put&key=a&val=${'%41'.repeat(13_000_000)}`;
    const grownBytes = await growthDuring(service, async () => {
      const answer = (await (await post(body)).json()) as { successStatus: number };
      expect(answer.successStatus).toBe(2);
    });
    // The bytes, their text, a third of it as a value, and as much again for bytes that the runtime has read and not
    // freed yet.
    expect(grownBytes).toBeLessThan(5 * body.length);
  }, 60_000);

  test('unauthenticated senders cannot use up the buffers of others', async () => {
    const { sessionToken } = await service.send('cmd=authenticate&svc.login=svc&svc.password=svc');
    const head = `POST /svc?cmd=put HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${FORM}\r\nContent-Length: 60000000\r\n\r\n`;
    const first = await rawSocket(service.port);
    await first.send(head);
    await first.send(Buffer.alloc(50_000_000, 'x'));
    await Bun.sleep(300);
    const second = await rawSocket(service.port);
    await second.send(head);
    await Bun.sleep(300);
    expect(second.received()).toStartWith('HTTP/1.1 503');
    const known = await post(`cmd=put&key=a&val=${value}`, { Authorization: `Bearer ${sessionToken}` });
    expect(await known.json()).toMatchObject({ successStatus: 0 });
    first.end();
    second.end();
  }, 30_000);
});

/** Repeats a request on new connections until one is accepted. Fails after `limitMs`. */
async function firstAnswer(send: () => Promise<Answer>, limitMs: number): Promise<Answer> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    try {
      const answer = await send();
      if (answer.http !== 503 || performance.now() > endMs) return answer;
    } catch (error) {
      if (performance.now() > endMs) throw error;
    }
    await Bun.sleep(100);
  }
}

onLinux('with few descriptors', () => {
  for (const workers of WORKERS.map(String)) {
    test(`idle connections do not block new ones, with ${workers} HTTP threads`, async () => {
      await using service = await startService({
        env: { SVC_WORKERS: workers },
        under: ['bash', '-c', 'ulimit -n 1024; exec "$@"', 'bash'],
      });
      // Connections beyond the limit are closed, some of them while connecting.
      const tried = await Promise.allSettled(Array.from({ length: 1_100 }, () => rawSocket(service.port)));
      const sockets = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(sockets.length).toBeGreaterThan(400);
      // A connection counts as idle two seconds after the service accepted it, which a busy machine delays.
      const scan = await firstAnswer(() => service.send('cmd=qryscanexe&cacheName=default&pageSize=10'), 30_000);
      expect(scan.successStatus).toBe(0);
      for (let key = 0; key < 5; key++) expect((await service.send(`cmd=put&key=${key}&val=1`)).successStatus).toBe(0);
      const log = readFileSync(`${service.dataDir}/log/svc.log`, 'utf8');
      expect(log).toContain('the process may open 1024 files');
      for (const socket of sockets) socket.end();
    }, 60_000);
  }
});
