/** Certificates for tests: X.509 v3 with keys on P-256, written as DER by hand, so no tool is needed. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface Certificate {
  /** PEM texts. */
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
  readonly der: Buffer;
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  /** The signer; if absent, the certificate itself, as an authority. */
  readonly issuer?: Certificate;
  /** The host names and IPv4 addresses for which it is valid. */
  readonly hosts?: readonly string[];
  /** It was valid for a day, until yesterday. */
  readonly expired?: boolean;
  /** Relative names of the subject instead of the common name alone. */
  readonly relativeNames?: ReadonlyArray<readonly SubjectAttribute[]>;
}

/** Content of an object identifier in hexadecimal, tag of the string type (default: UTF8String), content. */
export type SubjectAttribute = readonly [type: string, content: string | Buffer, stringTag?: number];

let lastSerial = 0;

/** Creates a certificate that is valid from yesterday for ten days, unless it is to be an expired one. */
export function createCertificate(
  subject: string,
  { issuer, hosts = [], relativeNames, expired = false }: CertificateOptions = {},
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const extensions = [
    extension('551d13', sequence(issuer === undefined ? tag(0x01, Buffer.of(0xff)) : Buffer.alloc(0))),
    ...(hosts.length === 0 ? [] : [extension('551d11', sequence(...hosts.map(hostName)))]),
  ];
  const body = sequence(
    tag(0xa0, integer(2)),
    integer(++lastSerial),
    ECDSA_WITH_SHA256,
    name(issuer?.subject ?? subject),
    expired ? sequence(time(now - 2 * day), time(now - day)) : sequence(time(now - day), time(now + 9 * day)),
    relativeNames === undefined ? name(subject) : nameOf(relativeNames),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  );
  const signature = createSign('sha256')
    .update(body)
    .sign(issuer?.privateKey ?? privateKey);
  const der = sequence(body, ECDSA_WITH_SHA256, tag(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    subject,
    der,
    privateKey,
  };
}

function tag(number: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 128
      ? Buffer.of(length)
      : length < 256
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 255);
  return Buffer.concat([Buffer.of(number), size, content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function integer(value: number): Buffer {
  return tag(0x02, value < 128 ? Buffer.of(value) : Buffer.of((value >> 8) & 127, value & 255));
}

function objectId(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

function name(commonName: string): Buffer {
  return nameOf([[['550403', commonName]]]);
}

function nameOf(relativeNames: ReadonlyArray<readonly SubjectAttribute[]>): Buffer {
  const relatives = relativeNames.map((attributes) => {
    const parts = attributes.map(([type, content, stringTag = 0x0c]) =>
      sequence(objectId(type), tag(stringTag, Buffer.from(content))),
    );
    return tag(0x31, Buffer.concat(parts.toSorted(Buffer.compare)));
  });
  return sequence(...relatives);
}

function time(ms: number): Buffer {
  return tag(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tag(0x04, value));
}

function hostName(host: string): Buffer {
  const parts = host.split('.').map(Number);
  return parts.length === 4 && parts.every((part) => part >= 0)
    ? tag(0x87, Buffer.from(parts))
    : tag(0x82, Buffer.from(host));
}
