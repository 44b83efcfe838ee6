/** TLS on connections that begin with a header of the PROXY protocol. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type Certificate, createCertificate } from '../../test/certificates/certificates.ts';
import { startEcho } from '../../test/fixtures/http/echo.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const authority = createCertificate('Test authority');
const own = createCertificate('own', { issuer: authority, hosts: ['localhost'] });
const client = createCertificate('client', { issuer: authority });
const fileOf = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const SIGNATURE = '0d0a0d0a000d0a515549540a';
/** 198.51.100.7:4711 to 10.0.0.1:443. */
const HEADER = Buffer.from(`${SIGNATURE}2111000cc63364070a000001126701bb`, 'hex');
const WITHOUT_CLIENT = Buffer.from(`${SIGNATURE}20000000`, 'hex');
const REQUEST = 'GET /svc?cmd=peer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const start = (trustedProxies: readonly string[]) =>
  startEcho({
    settings: {
      idleTimeoutSeconds: 1,
      port: undefined,
      tls: {
        certFile: fileOf('own.crt', own.cert),
        keyFile: fileOf('own.key', own.key),
        caFile: fileOf('authority.crt', authority.cert),
        passphrase: undefined,
        port: 0,
        minimumVersion: 'TLSv1.2',
        strictTransportSeconds: 0,
        clientCertificates: 'optional',
      },
      proxies: { trustedProxies, forwardedHeader: 'X-Forwarded-For', proxyProtocol: true },
    },
    commands: {
      peer: (request) => JSON.stringify(`${request.peerAddress()} ${request.certificateSubject ?? 'no certificate'}`),
      large: () => JSON.stringify('x'.repeat(3_000_000)),
    },
  });

/** Forwards the bytes of a TLS client with a header before them; `write` sends the header and the first bytes. */
function exchange(
  port: number,
  write: (socket: Duplex, header: Buffer, first: Buffer) => void | Promise<void>,
  header = HEADER,
  request = REQUEST,
  certificate?: Certificate,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1');
    let isFirst = true;
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        if (!isFirst) socket.write(chunk, done);
        else {
          isFirst = false;
          Promise.resolve(write(socket, header, chunk)).then(() => done(), done);
        }
      },
    });
    let received = '';
    const end = () => resolve(received);
    socket
      .on('data', (bytes) => wire.push(bytes))
      .on('close', end)
      .on('error', end);
    const options = { ca: authority.cert, servername: 'localhost', ...certificate };
    const tls = connectTls({ socket: wire, ...options });
    tls.on('secureConnect', () => tls.write(request));
    tls.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
    });
    tls.on('end', end).on('error', end);
  });
}

const together = (socket: Duplex, header: Buffer, first: Buffer) => void socket.write(Buffer.concat([header, first]));
const WAYS: ReadonlyArray<readonly [title: string, write: Parameters<typeof exchange>[1]]> = [
  ['together with the first bytes of the client', together],
  [
    'alone',
    async (socket, header, first) => {
      socket.write(header);
      await Bun.sleep(20);
      socket.write(first);
    },
  ],
  [
    'byte by byte, with the bytes of the client',
    async (socket, header, first) => {
      const whole = Buffer.concat([header, first]);
      for (let at = 0; at < 60; at++) {
        socket.write(whole.subarray(at, at + 1));
        await Bun.sleep(1);
      }
      socket.write(whole.subarray(60));
    },
  ],
];

describe('TLS behind a trusted proxy', async () => {
  const server = await start(['127.0.0.1']);
  afterAll(() => server.stop(0));
  const port = server.ports.tls ?? 0;

  for (const [title, write] of WAYS) {
    test(`the header may come ${title}`, async () => {
      expect(await exchange(port, write)).toContain('"response":"198.51.100.7 no certificate"');
    });
  }

  test('the certificate of the client is seen', async () => {
    expect(await exchange(port, together, HEADER, REQUEST, client)).toContain('"response":"198.51.100.7 CN=client"');
  });

  test('a proxy without a client has its own address', async () => {
    expect(await exchange(port, together, WITHOUT_CLIENT)).toContain('"response":"127.0.0.1 no certificate"');
  });

  test('large requests and responses arrive whole', async () => {
    const request = `POST /svc?cmd=large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2000002\r\n\r\n{}${' '.repeat(2_000_000)}`;
    const received = await exchange(port, together, HEADER, request);
    expect(received.length).toBeGreaterThan(3_000_000);
    // A long response comes in chunks.
    expect(received.endsWith('}\r\n0\r\n\r\n')).toBe(true);
  });

  test('a connection without a header is closed without an answer', async () => {
    expect(await exchange(port, (socket, _header, first) => void socket.write(first))).toBe('');
  });

  test('connections whose header or handshake does not arrive in time are closed', async () => {
    const stalled = [HEADER.subarray(0, 20), HEADER].map(
      (bytes) =>
        new Promise<void>((resolve) => {
          const socket = connectTcp(port, '127.0.0.1', () => socket.write(bytes));
          socket.on('close', resolve).on('error', () => resolve());
        }),
    );
    await Promise.all(stalled);
    expect(server.clients()).toEqual([]);
  });
});

test('a client that is no proxy sends no header', async () => {
  await using server = await start(['192.0.2.1']);
  const port = server.ports.tls ?? 0;
  const plain = (socket: Duplex, _header: Buffer, first: Buffer) => void socket.write(first);
  expect(await exchange(port, plain)).toContain('"response":"127.0.0.1 no certificate"');
  expect(await exchange(port, together)).toBe('');
});
