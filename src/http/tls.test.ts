import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureVersion } from 'node:tls';
import { type Certificate, createCertificate } from '../../test/certificates/certificates.ts';
import { type EchoServer, startEcho } from '../../test/fixtures/http/echo.ts';
import type { TlsSettings } from './settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const authority = createCertificate('Test authority');
const first = createCertificate('first', { issuer: authority, hosts: ['localhost', '127.0.0.1'] });
const second = createCertificate('second', { issuer: authority, hosts: ['localhost', '127.0.0.1'] });
const client = createCertificate('client', { issuer: authority });
const stranger = createCertificate('stranger', { issuer: createCertificate('Another authority') });

/** Replaces a file atomically, as tools that renew certificates do. */
function put(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
  return file;
}

function settings(name: string, certificate: Certificate, further: Partial<TlsSettings> = {}): TlsSettings {
  return {
    certFile: put(`${name}.crt`, certificate.cert),
    keyFile: put(`${name}.key`, certificate.key),
    caFile: put('authority.crt', authority.cert),
    passphrase: undefined,
    port: 0,
    minimumVersion: 'TLSv1.2',
    strictTransportSeconds: 0,
    clientCertificates: 'none',
    ...further,
  };
}

function start(tls: TlsSettings, port?: number): Promise<EchoServer> {
  return startEcho({ settings: { tls, port } });
}

interface Seen {
  readonly status: number;
  readonly subject: string;
  readonly version: string | null;
}

/** One request over a separate connection; rejects when the handshake or the request fails. */
function ask(port: number, own?: Certificate, maxVersion?: SecureVersion): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: authority.cert,
      servername: 'localhost',
      ...(own === undefined ? {} : { cert: own.cert, key: own.key }),
      ...(maxVersion === undefined ? {} : { maxVersion }),
    });
    socket.on('secureConnect', () => {
      socket.write('GET /svc?cmd=echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    });
    socket.on('data', (bytes) => {
      const status = Number(bytes.toString('latin1').split(' ')[1]);
      const subject = String(socket.getPeerCertificate().subject.CN);
      resolve({ status, subject, version: socket.getProtocol() });
      socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
  });
}

test('serves HTTPS only [1.2]', async () => {
  await using server = await start(settings('alone', first));
  expect(server.urls).toEqual([`https://127.0.0.1:${server.port}/svc`]);
  expect(await ask(server.port)).toEqual({ status: 200, subject: 'first', version: 'TLSv1.3' });
});

test('serves HTTP and HTTPS together', async () => {
  await using server = await start(settings('both', first), 0);
  const { plain, tls } = server.ports;
  expect(server.urls).toEqual([`http://127.0.0.1:${plain}/svc`, `https://127.0.0.1:${tls}/svc`]);
  expect((await fetch(`${server.urls[0]}?cmd=echo`)).status).toBe(200);
  const secure = await fetch(`${server.urls[1]}?cmd=echo`, { tls: { ca: authority.cert } });
  expect(secure.status).toBe(200);
});

const VERSIONS: ReadonlyArray<
  readonly [minimum: TlsSettings['minimumVersion'], most: SecureVersion, answered: boolean]
> = [
  ['TLSv1.2', 'TLSv1.1', false],
  ['TLSv1.2', 'TLSv1.2', true],
  ['TLSv1.2', 'TLSv1.3', true],
  ['TLSv1.3', 'TLSv1.2', false],
  ['TLSv1.3', 'TLSv1.3', true],
];

for (const [minimumVersion, most, answered] of VERSIONS) {
  test(`a client of ${most} ${answered ? 'is answered' : 'is rejected'} where ${minimumVersion} is the least`, async () => {
    await using server = await start(settings('version', first, { minimumVersion }));
    if (answered) expect(await ask(server.port, undefined, most)).toMatchObject({ status: 200, version: most });
    else expect(ask(server.port, undefined, most)).rejects.toThrow();
  });
}

const CLIENTS: ReadonlyArray<
  readonly [
    mode: TlsSettings['clientCertificates'],
    who: string,
    certificate: Certificate | undefined,
    answered: boolean,
  ]
> = [
  ['none', 'without a certificate', undefined, true],
  ['optional', 'without a certificate', undefined, true],
  ['optional', 'with its certificate', client, true],
  ['required', 'without a certificate', undefined, false],
  ['required', 'with its certificate', client, true],
  ['required', 'with a certificate of another authority', stranger, false],
];

for (const [clientCertificates, who, certificate, answered] of CLIENTS) {
  test(`a client ${who} ${answered ? 'is answered' : 'is rejected'} where they are ${clientCertificates}`, async () => {
    await using server = await start(settings('clients', first, { clientCertificates }));
    if (answered) expect(await ask(server.port, certificate)).toMatchObject({ status: 200 });
    else expect(ask(server.port, certificate)).rejects.toThrow();
  });
}

const commaName = createCertificate('', { issuer: authority, relativeNames: [[['550403', 'ann,O=Example']]] });
const twoNames = createCertificate('', {
  issuer: authority,
  relativeNames: [[['550403', 'ann']], [['55040a', 'Example']]],
});

const SUBJECTS: ReadonlyArray<
  readonly [
    mode: TlsSettings['clientCertificates'],
    who: string,
    certificate: Certificate | undefined,
    subject: string | null,
  ]
> = [
  ['none', 'none', client, null],
  ['optional', 'none', undefined, null],
  ['optional', 'that of the authority', client, 'CN=client'],
  ['optional', 'one of another authority', stranger, null],
  ['required', 'that of the authority', client, 'CN=client'],
  ['required', 'a name with a comma', commaName, 'CN=ann\\,O=Example'],
  ['required', 'a name and an organization', twoNames, 'CN=ann,O=Example'],
];

for (const [clientCertificates, who, certificate, subject] of SUBJECTS) {
  test(`certificates are ${clientCertificates}, the client has ${who}: the service sees ${subject}`, async () => {
    let seen: string | null | undefined;
    await using server = await startEcho({
      settings: { tls: settings('subject', first, { clientCertificates }), port: undefined },
      commands: {
        echo: (request) => {
          seen = request.certificateSubject ?? null;
          return 'true';
        },
      },
    });
    expect((await ask(server.port, certificate)).status).toBe(200);
    expect(seen).toBe(subject);
  });
}

test('closes a connection without a handshake', async () => {
  await using server = await startEcho({
    settings: { tls: settings('silent', first), port: undefined, idleTimeoutSeconds: 1 },
  });
  const ended = Promise.withResolvers<void>();
  await Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {}, close: () => ended.resolve() } });
  await ended.promise;
  expect((await ask(server.port)).status).toBe(200);
});

test('transfers large bodies and responses over TLS', async () => {
  await using server = await start(settings('big', first));
  const val = 'ü'.repeat(2_000_000);
  const answer = await fetch(server.url, {
    method: 'POST',
    body: JSON.stringify({ cmd: 'echo', val }),
    headers: { 'Content-Type': 'application/json' },
    tls: { ca: authority.cert },
  });
  expect(((await answer.json()) as { response: { val: string } }).response.val).toBe(val);
});

test('no request fails while certificates change under load', async () => {
  await using server = await start(settings('load', first));
  let answered = 0;
  let over = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!over) {
      expect((await ask(server.port)).status).toBe(200);
      answered++;
    }
  });
  for (let change = 0; change < 10; change++) {
    settings('load', change % 2 === 0 ? second : first);
    server.reloadCertificates();
    await Bun.sleep(30);
  }
  over = true;
  await Promise.all(load);
  expect(answered).toBeGreaterThan(10);
}, 15_000);

test('uses a changed certificate and answers running requests', async () => {
  const tls = settings('changing', first);
  await using server = await startEcho({
    settings: { tls, port: undefined },
    commands: {
      slow: async () => {
        await Bun.sleep(400);
        return '"slow"';
      },
    },
  });
  expect(await ask(server.port)).toMatchObject({ subject: 'first' });
  const inFlight = fetch(`${server.url}?cmd=slow`, { tls: { ca: authority.cert } });
  await Bun.sleep(100);
  settings('changing', second);
  server.reloadCertificates();
  expect(await ask(server.port)).toMatchObject({ subject: 'second', status: 200 });
  expect((await inFlight).status).toBe(200);
  expect(server.notices).toEqual([expect.stringContaining('info: a new certificate is in use')]);
  server.reloadCertificates();
  expect(server.notices).toHaveLength(1);
});

test('reloads changed files without a signal', async () => {
  const tls = settings('watched', first);
  await using server = await start(tls);
  settings('watched', second);
  const untilMs = performance.now() + 8_000;
  let subject = '';
  while (subject !== 'second' && performance.now() < untilMs) {
    await Bun.sleep(200);
    ({ subject } = await ask(server.port));
  }
  expect(subject).toBe('second');
}, 12_000);

const WRONG: ReadonlyArray<readonly [title: string, certificate: string, key: string, told: string]> = [
  ['no certificate', 'nothing', first.key, 'wrong.crt contains no certificate'],
  ['no key', first.cert, 'nothing', 'wrong.key contains no readable private key'],
  ['the key of another', first.cert, second.key, 'does not match the certificate'],
];

for (const [title, certificate, key, told] of WRONG) {
  test(`${title} in the file stops the start and changes nothing while running`, async () => {
    const tls = settings('wrong', first);
    await using server = await start(tls);
    put('wrong.crt', certificate);
    put('wrong.key', key);
    server.reloadCertificates();
    expect(server.notices).toEqual([expect.stringContaining('warn: the certificate was not changed')]);
    expect(await ask(server.port)).toMatchObject({ subject: 'first' });
    expect(start(tls)).rejects.toThrow(told);
  });
}

test('a missing file fails the start', () => {
  expect(start({ ...settings('missing', first), certFile: join(folder, 'none.crt') })).rejects.toThrow('none.crt');
});

test('only responses over TLS state the time of strict transport', async () => {
  const tls = settings('strict', first, { strictTransportSeconds: 31_536_000 });
  await using server = await startEcho({ settings: { tls, port: 0 } });
  const values = await Promise.all(
    server.urls.map(async (url) => {
      const answer = await fetch(`${url}?cmd=echo`, { tls: { ca: authority.cert } });
      return answer.headers.get('strict-transport-security');
    }),
  );
  expect(values).toEqual([null, 'max-age=31536000']);
});
