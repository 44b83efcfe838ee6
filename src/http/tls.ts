/** Certificates: read from their files, checked before use, and read again when they change. */
import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorText } from '../base/errors.ts';
import type { TlsSettings } from './settings.ts';

/** The contents of the certificate files, as options for the runtime's server. */
export interface TlsMaterial {
  /** Equal for equal contents of the files. */
  readonly fingerprint: string;
  readonly options: Bun.TLSOptions;
}

const OLD_VERSIONS = constants.SSL_OP_NO_SSLv3 | constants.SSL_OP_NO_TLSv1 | constants.SSL_OP_NO_TLSv1_1;

/** Reads and checks the files. Throws an error that names the file or the mismatch. */
export function readTlsMaterial(settings: TlsSettings): TlsMaterial {
  const cert = readPem(settings.certFile);
  const key = readPem(settings.keyFile);
  const ca = settings.caFile === undefined ? undefined : readPem(settings.caFile);
  checkPair(settings, cert, key);
  const required = settings.clientCertificates === 'required';
  return {
    fingerprint: Bun.hash([cert, key, ca].join('\0')).toString(),
    options: {
      cert,
      key,
      ...(settings.passphrase === undefined ? {} : { passphrase: settings.passphrase }),
      ...(ca === undefined ? {} : { ca }),
      requestCert: settings.clientCertificates !== 'none',
      rejectUnauthorized: required,
      secureOptions: OLD_VERSIONS | (settings.minimumVersion === 'TLSv1.3' ? constants.SSL_OP_NO_TLSv1_2 : 0),
    },
  };
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${file}: ${errorText(error)}`);
  }
}

function checkPair({ certFile, keyFile, passphrase }: TlsSettings, cert: string, key: string): void {
  const certificate = attempt(`${certFile} contains no certificate`, () => new X509Certificate(cert));
  const privateKey = attempt(`${keyFile} contains no readable private key`, () =>
    createPrivateKey(passphrase === undefined ? key : { key, passphrase }),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`the key in ${keyFile} does not match the certificate in ${certFile}`);
}

function attempt<T>(failure: string, create: () => T): T {
  try {
    return create();
  } catch (error) {
    throw new Error(`${failure}: ${errorText(error)}`);
  }
}
