/**
 * TLS endpoints in front of a service, for the tests of clients: one with a valid certificate, one whose certificate is
 * for another host, and one whose certificate has expired. All are from a private authority.
 */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';
import { type CertificateOptions, createCertificate } from '../certificates/certificates.ts';
import { newFolder } from '../system/service-process.ts';

export interface TlsEndpoints extends AsyncDisposable {
  readonly url: string;
  readonly wrongNameUrl: string;
  readonly expiredUrl: string;
  /** PEM text of the authority, and a file that has it. */
  readonly authority: string;
  readonly authorityFile: string;
}

/** Forwards connections to the service, which sees no TLS. */
async function listen(options: TlsOptions, port: number): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer(options, (socket) => {
    const onward = connect(port, '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => {}).on('close', () => sockets.delete(each));
    }
    socket.pipe(onward).pipe(socket);
  });
  // A client that does not trust the certificate ends the handshake.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    close() {
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
}

export async function startTlsEndpoints(serviceUrl: string): Promise<TlsEndpoints> {
  const { port, pathname } = new URL(serviceUrl);
  const issuer = createCertificate('tests');
  const forms: readonly CertificateOptions[] = [
    { hosts: ['127.0.0.1'] },
    { hosts: ['other.example'] },
    { hosts: ['127.0.0.1'], expired: true },
  ];
  const servers = await Promise.all(
    forms.map((form) => {
      const { cert, key } = createCertificate('service', { ...form, issuer });
      return listen({ cert, key }, Number(port));
    }),
  );
  const [url = '', wrongNameUrl = '', expiredUrl = ''] = servers.map(
    (server) => `https://127.0.0.1:${server.port}${pathname}`,
  );
  const authorityFile = join(newFolder(), 'authority.pem');
  writeFileSync(authorityFile, issuer.cert);
  return {
    url,
    wrongNameUrl,
    expiredUrl,
    authority: issuer.cert,
    authorityFile,
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close();
    },
  };
}
