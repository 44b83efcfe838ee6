import { afterAll, describe, expect, test } from 'bun:test';
import { startEcho } from '../../test/fixtures/http/echo.ts';
import { parseProxyHeader } from './proxy-header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
/** 198.51.100.7:4711 to 10.0.0.1:80. */
const V4 = 'c63364070a00000112670050';
const V6 = '20010db8000000000000000000000009'.padEnd(64, '0');
const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

describe('a header', () => {
  const cases: ReadonlyArray<readonly [title: string, hex: string, client: unknown, bytes: number]> = [
    ['of TCP over IPv4', `${SIGNATURE}2111000c${V4}`, { address: '198.51.100.7', port: 4711 }, 28],
    ['of TCP over IPv6', `${SIGNATURE}21210024${V6}12670050`, { address: '2001:db8:0:0:0:0:0:9', port: 4711 }, 52],
    ['with further fields', `${SIGNATURE}21110010${V4}04000141`, { address: '198.51.100.7', port: 4711 }, 32],
    ['of the proxy itself', `${SIGNATURE}20000000`, undefined, 16],
    ['without a known family', `${SIGNATURE}21000000`, undefined, 16],
    ['of UDP', `${SIGNATURE}2112000c${V4}`, undefined, 28],
  ];
  for (const [title, hex, client, bytes] of cases) {
    test(`${title} is read, at any length of what has arrived`, () => {
      const whole = bytesOf(`${hex}474554`);
      for (let length = 0; length < bytes; length++)
        expect(parseProxyHeader(whole.subarray(0, length))).toBe(undefined);
      expect(parseProxyHeader(whole)).toEqual({ bytes, client } as never);
    });
  }

  const wrong: ReadonlyArray<readonly [title: string, hex: string]> = [
    ['of version 1', Buffer.from('PROXY TCP4 198.51.100.7 10.0.0.1 4711 80\r\n').toHex()],
    ['of another version', `${SIGNATURE}3111000c${V4}`],
    ['with an unknown command', `${SIGNATURE}2211000c${V4}`],
    ['whose addresses are too short', `${SIGNATURE}2111000b${V4}`],
    ['whose IPv6 addresses are too short', `${SIGNATURE}2121000c${V4}`],
    ['that is too long', `${SIGNATURE}2111ffff`],
    ['that is a request', Buffer.from('GET / HTTP/1.1\r\n').toHex()],
  ];
  for (const [title, hex] of wrong)
    test(`${title} is rejected`, () => expect(() => parseProxyHeader(bytesOf(hex))).toThrow('PROXY protocol'));
});

describe('a connection from a trusted proxy', async () => {
  const server = await startEcho({
    settings: {
      idleTimeoutSeconds: 1,
      proxies: { trustedProxies: ['127.0.0.1'], forwardedHeader: 'X-Forwarded-For', proxyProtocol: true },
    },
    commands: { peer: (request) => JSON.stringify(request.peerAddress()) },
  });
  afterAll(() => server.stop(0));
  const request = Buffer.from('GET /svc?cmd=peer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');

  /** Sends parts one after another; returns what was received until the connection closed. */
  async function exchange(parts: readonly Buffer[]): Promise<string> {
    let received = '';
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: server.port,
      socket: {
        data: (_socket, bytes) => {
          received += bytes.toString();
        },
        close: () => closed.resolve(),
        error: () => closed.resolve(),
      },
    });
    for (const part of parts) {
      socket.write(part);
      socket.flush();
      await Bun.sleep(2);
    }
    await closed.promise;
    return received;
  }
  const header = bytesOf(`${SIGNATURE}2111000c${V4}`);

  test('has the address of the client', async () => {
    expect(await exchange([Buffer.concat([header, request])])).toContain('"response":"198.51.100.7"');
  });
  test('may send its header byte by byte', async () => {
    expect(await exchange([...header].map((byte) => Buffer.from([byte])).concat(request))).toContain('198.51.100.7');
  });
  test('without a client has its own address', async () => {
    expect(await exchange([bytesOf(`${SIGNATURE}20000000`), request])).toContain('"response":"127.0.0.1"');
  });
  test('is closed without an answer when the header is missing or of version 1', async () => {
    expect(await exchange([request])).toBe('');
    expect(await exchange([Buffer.from('PROXY TCP4 198.51.100.7 10.0.0.1 4711 80\r\n'), request])).toBe('');
    expect(server.notices).toEqual([
      expect.stringMatching(/^warn: closed a connection from the trusted proxy 127\.0\.0\.1: .* version 2 is missing/),
    ]);
  });
  test('is closed when the header does not arrive in time', async () => {
    expect(await exchange([header.subarray(0, 20)])).toBe('');
    expect(server.clients()).toEqual([]);
  });
});
