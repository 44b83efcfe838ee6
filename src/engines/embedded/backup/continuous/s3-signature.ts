/**
 * Signature version 4 of requests to an object store, without a turn of the event loop: changes may wait for the
 * request. The specification is https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
 */
import type { S3Credentials } from './s3-roles.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SERVICE = 's3';
const TERMINATION = 'aws4_request';

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body's digest (SHA-256, hexadecimal). */
  readonly bodyHash: string;
  readonly nowMs: number;
}

/** Signs requests with credentials. Caches their key for the day. */
export class S3Signer {
  readonly #credentials: S3Credentials;
  readonly #region: string;
  #day = '';
  #key: Uint8Array = new Uint8Array();

  constructor(credentials: S3Credentials, region: string) {
    this.#credentials = credentials;
    this.#region = region;
  }

  /** Returns all headers of a request, including its signature's. */
  sign({ method, url, headers, bodyHash, nowMs }: UnsignedRequest): Record<string, string> {
    const { accessKeyId, sessionToken } = this.#credentials;
    const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const signed: Record<string, string> = { 'x-amz-content-sha256': bodyHash, 'x-amz-date': time };
    if (sessionToken !== undefined) signed['x-amz-security-token'] = sessionToken;
    for (const [name, value] of Object.entries(headers)) signed[name.toLowerCase()] = value;
    const lines = Object.entries({ ...signed, host: url.host })
      .map(([name, value]) => [name, value.trim().replace(/\s+/g, ' ')] as const)
      .sort(([a], [b]) => compare(a, b));
    const names = lines.map(([name]) => name).join(';');
    const query = [...url.searchParams]
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
    const canonical = [
      method,
      url.pathname.split('/').map(decodeURIComponent).map(encoded).join('/'),
      query.map(([name, value]) => `${name}=${value}`).join('&'),
      ...lines.map(([name, value]) => `${name}:${value}`),
      '',
      names,
      bodyHash,
    ].join('\n');
    const scope = `${day}/${this.#region}/${SERVICE}/${TERMINATION}`;
    const signature = hmac(this.#keyOf(day), [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex');
    return {
      ...signed,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
  }

  #keyOf(day: string): Uint8Array {
    if (day !== this.#day) {
      const ofDay = hmac(`AWS4${this.#credentials.secretAccessKey}`, day);
      this.#key = hmac(hmac(hmac(ofDay, this.#region), SERVICE), TERMINATION);
      this.#day = day;
    }
    return this.#key;
  }
}

/** Returns the digest of bytes, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(content).digest('hex');
}

function hmac(key: string | Uint8Array, text: string): Buffer {
  return new Bun.CryptoHasher('sha256', key).update(text).digest();
}

/** Encodes all but the characters that RFC 3986 does not reserve. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Compares by code units, as signatures do. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
