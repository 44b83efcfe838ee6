/**
 * The requests to an object store that backups need. The runtime's client has no conditional headers, so requests are
 * signed here and sent by fetch. No message contains credentials.
 */

import { type Clock, keepAlive, randomBytes, sleep, systemClock } from '../../../../base/clock.ts';
import { errorText } from '../../../../base/errors.ts';
import { RenewedCredentials } from './s3-credentials.ts';
import { isTemporary, ObjectStoreError, S3Failure } from './s3-errors.ts';
import type { S3Credentials } from './s3-roles.ts';
import { S3Signer, sha256 } from './s3-signature.ts';

export interface S3Location {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Whether the bucket is in the address's path, rather than in the host name. */
  readonly isPathStyle: boolean;
  /** Certificates of the authorities trusted for the store, in PEM; the system's if undefined. */
  readonly authorities?: string;
}

/** How long a request may take, and how often it is sent. */
export interface S3Limits {
  /** Attempts of a request that the store does not answer or cannot answer now. */
  readonly tries: number;
  /** Time for an attempt, in addition to the time for its bytes. */
  readonly tryMs: number;
  /** Minimum time for an attempt to make the store assemble an object from its parts. */
  readonly completeMs: number;
  /** The slowest connection that attempts allow for. */
  readonly bytesPerSecond: number;
  /** Pause before the second attempt, which then doubles. */
  readonly pauseMs: number;
}

export const S3_LIMITS: S3Limits = {
  tries: 4,
  tryMs: 5_000,
  completeMs: 180_000,
  bytesPerSecond: 256 * 1024,
  pauseMs: 200,
};
/** The time limit for all attempts together, as a multiple of the limit for one. */
const TRIES_IN_TIME = 3;

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** The condition for writing an object. */
export interface Condition {
  /** Only if there is no object with the key. */
  readonly ifAbsent?: boolean;
  /** Only if the object has this entity tag. */
  readonly ifMatch?: string;
}

export interface Written {
  readonly etag: string;
}

/** An object that was read, or a range of it. */
export interface ReadObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Bytes of the whole object. */
  readonly totalBytes: number;
}

/** Codes after which the credentials are read again, because a program may renew them. */
const EXPIRED = new Set(['ExpiredToken', 'TokenRefreshRequired', 'InvalidToken', 'InvalidAccessKeyId']);
/** The clocks of both sides differ by more than the store accepts. */
const SKEWED = 'RequestTimeTooSkewed';
const METADATA_PREFIX = 'x-amz-meta-';

interface Sent {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Bytes of the response that the time limit allows for. */
  readonly answerBytes?: number;
  /** Minimum time for an attempt. */
  readonly leastMs?: number;
}

/** A complete response. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

export interface S3ClientOptions {
  readonly location: S3Location;
  readonly credentials: () => S3Credentials | Promise<S3Credentials>;
  readonly clock: Clock;
  readonly limits?: S3Limits;
}

export class S3Client {
  readonly #options: S3ClientOptions;
  readonly #limits: S3Limits;
  readonly #credentials: RenewedCredentials;
  /** Signs with these credentials until they are replaced. */
  #signer: { readonly credentials: S3Credentials; readonly signer: S3Signer } | undefined;

  constructor(options: S3ClientOptions) {
    this.#options = options;
    this.#credentials = new RenewedCredentials(options.credentials, options.clock);
    this.#limits = options.limits ?? S3_LIMITS;
  }

  /** Writes an object. Returns undefined if the condition is not met. */
  async put(
    key: string,
    body: Uint8Array<ArrayBuffer> | string,
    condition: Condition,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<Written | undefined> {
    const headers = { ...conditionHeaders(condition), ...metadataHeaders(metadata) };
    return writtenOf(await this.#send({ method: 'PUT', key, body, headers }, [200, 412]));
  }

  /** Returns an object, or `bytes` of it from `from` on, or undefined if it does not exist. */
  async get(key: string, range?: { readonly from: number; readonly bytes: number }): Promise<ReadObject | undefined> {
    const headers = range === undefined ? {} : { Range: `bytes=${range.from}-${range.from + range.bytes - 1}` };
    const answerBytes = range?.bytes ?? 0;
    const answer = await this.#send({ method: 'GET', key, headers, answerBytes }, [200, 206, 404, 416]);
    if (answer.status === 404) return undefined;
    // No byte of an empty object is in a range.
    if (answer.status === 416) return { bytes: new Uint8Array(0), etag: etagOf(answer), totalBytes: 0 };
    const total = /\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1];
    return { bytes: answer.bytes, etag: etagOf(answer), totalBytes: Number(total ?? answer.bytes.length) };
  }

  /** Returns an object's length and metadata, or undefined if it does not exist. */
  async head(key: string): Promise<{ readonly bytes: number; metadata(name: string): string | null } | undefined> {
    const { status, headers } = await this.#send({ method: 'HEAD', key }, [200, 404]);
    if (status === 404) return undefined;
    return {
      bytes: Number(headers.get('content-length')),
      metadata: (name) => headers.get(METADATA_PREFIX + name),
    };
  }

  async remove(key: string): Promise<void> {
    await this.#send({ method: 'DELETE', key }, [200, 204, 404]);
  }

  /** Returns the objects whose keys begin with a prefix: all, or the first ones. */
  async list(prefix: string, most = Number.POSITIVE_INFINITY): Promise<ListedObject[]> {
    const objects: ListedObject[] = [];
    for (let token: string | undefined; ; ) {
      const limit = most < 1_000 && { 'max-keys': String(most) };
      const query = { 'list-type': '2', prefix, ...limit, ...(token !== undefined && { 'continuation-token': token }) };
      const text = textOf(await this.#send({ method: 'GET', key: '', query }, [200]));
      for (const [, part = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = element(part, 'Key');
        const modified = element(part, 'LastModified');
        if (key === undefined) continue;
        objects.push({ key, bytes: Number(element(part, 'Size')), modifiedMs: Date.parse(modified ?? '') });
      }
      token = element(text, 'IsTruncated') === 'true' ? element(text, 'NextContinuationToken') : undefined;
      if (token === undefined || objects.length >= most) return objects;
    }
  }

  /** Begins an object in several parts, and returns its id. */
  async beginParts(key: string, metadata: Readonly<Record<string, string>>): Promise<string> {
    const headers = metadataHeaders(metadata);
    const answer = await this.#send({ method: 'POST', key, query: { uploads: '' }, headers }, [200]);
    const id = element(textOf(answer), 'UploadId');
    if (id === undefined) throw new S3Failure('POST', 200, '', 'the response has no UploadId');
    return id;
  }

  /** Uploads a part, and returns its entity tag. */
  async putPart(key: string, id: string, number: number, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const query = { partNumber: String(number), uploadId: id };
    return etagOf(await this.#send({ method: 'PUT', key, query, body }, [200]));
  }

  /**
   * Completes an object in several parts. Returns undefined if the condition is not met, or if there is no such upload,
   * as after a lost response.
   */
  async completeParts(
    key: string,
    id: string,
    etags: readonly string[],
    condition: Condition,
  ): Promise<Written | undefined> {
    const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const headers = conditionHeaders(condition);
    const leastMs = this.#limits.completeMs;
    const sent: Sent = { method: 'POST', key, query: { uploadId: id }, headers, body, leastMs };
    const answer = await this.#send(sent, [200, 404, 412]);
    const text = textOf(answer);
    // The store may begin its response before it knows the result.
    const code = answer.status === 200 && text.includes('<Error>') ? (element(text, 'Code') ?? '') : '';
    if (code === 'PreconditionFailed') return undefined;
    if (code !== '') throw new S3Failure('POST', 200, code, element(text, 'Message') ?? '');
    return answer.status === 200 ? { etag: element(text, 'ETag') ?? '' } : undefined;
  }

  async abortParts(key: string, id: string): Promise<void> {
    await this.#send({ method: 'DELETE', key, query: { uploadId: id } }, [200, 204, 404]);
  }

  /** Removes the parts of objects that were never completed, for keys with a prefix for which `includes` is true. */
  async abortAllParts(prefix: string, includes: (key: string) => boolean): Promise<void> {
    for (let next: Record<string, string> | undefined = {}; next !== undefined; ) {
      const query = { uploads: '', prefix, ...next };
      const text = textOf(await this.#send({ method: 'GET', key: '', query }, [200]));
      for (const [, part = ''] of text.matchAll(/<Upload>(.*?)<\/Upload>/gs)) {
        const key = element(part, 'Key');
        const id = element(part, 'UploadId');
        if (key !== undefined && includes(key) && id !== undefined) await this.abortParts(key, id);
      }
      const key = element(text, 'IsTruncated') === 'true' ? element(text, 'NextKeyMarker') : undefined;
      const id = element(text, 'NextUploadIdMarker');
      next = key === undefined ? undefined : { 'key-marker': key, ...(id && { 'upload-id-marker': id }) };
    }
  }

  /** Repeats a request while it may succeed and there is time. Throws S3Failure for an unexpected status. */
  async #send(sent: Sent, expected: readonly number[]): Promise<Answer> {
    const { tries, tryMs, bytesPerSecond, pauseMs } = this.#limits;
    const { clock } = this.#options;
    const bytes = (sent.body?.length ?? 0) + (sent.answerBytes ?? 0);
    const attemptMs = Math.max(tryMs + (bytes / bytesPerSecond) * 1000, sent.leastMs ?? 0);
    const endMs = clock.monotonicMs() + TRIES_IN_TIME * attemptMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#sendOnce(sent, attemptMs);
        if (expected.includes(answer.status)) return answer;
        throw failureOf(sent.method, answer, clock.nowMs());
      } catch (error) {
        const isExpired = isExpiry(sent, error);
        if (isExpired) this.#credentials.expire();
        // Clients that failed at the same time should not all retry at the same time.
        const waitMs = pauseMs * 2 ** (attempt - 1) * (0.5 + (randomBytes(1)[0] ?? 0) / 512);
        const isInTime = attempt < tries && clock.monotonicMs() + waitMs + attemptMs <= endMs;
        if (!isInTime || !(isExpired || isTemporary(error))) throw describedFailure(sent.method, error, attemptMs);
        const alive = keepAlive();
        await sleep(clock, waitMs);
        alive.cancel();
      }
    }
  }

  async #sendOnce({ method, key, query = {}, headers = {}, body }: Sent, limitMs: number): Promise<Answer> {
    const { location } = this.#options;
    const signer = await this.#signerOf();
    const url = this.#address(key, query);
    const bodyHash = sha256(body ?? '');
    // The store compares it with its own time, not with one that was set.
    const signed = signer.sign({ method, url, headers, bodyHash, nowMs: systemClock.nowMs() });
    const { authorities } = location;
    const response = await fetch(url, {
      method,
      headers: signed,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(limitMs),
      redirect: 'manual',
      ...(authorities !== undefined && { tls: { ca: authorities } }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
    if (method === 'GET' && length !== null && Number(length) !== bytes.length) {
      throw new Error(`the connection ended after ${bytes.length} of ${length} bytes`);
    }
    return { status: response.status, headers: response.headers, bytes };
  }

  async #signerOf(): Promise<S3Signer> {
    const credentials = await this.#credentials.get();
    if (this.#signer?.credentials !== credentials) {
      this.#signer = { credentials, signer: new S3Signer(credentials, this.#options.location.region) };
    }
    return this.#signer.signer;
  }

  #address(key: string, query: Readonly<Record<string, string>>): URL {
    const { endpoint, bucket, isPathStyle } = this.#options.location;
    const url = new URL(endpoint);
    if (!isPathStyle) url.hostname = `${bucket}.${url.hostname}`;
    const names = [...(isPathStyle ? [bucket] : []), ...key.split('/')];
    // An endpoint may have its own path.
    const base = url.pathname.replace(/\/+$/, '');
    url.pathname = `${base}/${names.map(encodeURIComponent).join('/')}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }
}

function conditionHeaders({ ifAbsent = false, ifMatch }: Condition): Record<string, string> {
  return { ...(ifAbsent && { 'If-None-Match': '*' }), ...(ifMatch !== undefined && { 'If-Match': ifMatch }) };
}

function metadataHeaders(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [METADATA_PREFIX + name, value]));
}

function writtenOf(answer: Answer): Written | undefined {
  return answer.status === 200 ? { etag: etagOf(answer) } : undefined;
}

function etagOf({ headers }: Answer): string {
  return headers.get('etag') ?? '';
}

function textOf({ bytes }: Answer): string {
  return new TextDecoder().decode(bytes);
}

function failureOf(action: string, answer: Answer, nowMs: number): S3Failure {
  const { status, headers } = answer;
  const text = textOf(answer);
  const code = element(text, 'Code') ?? '';
  const region = headers.get('x-amz-bucket-region');
  const theirMs = Date.parse(headers.get('date') ?? '');
  const notes = [
    element(text, 'Message') ?? '',
    (status === 301 || status === 307) && region !== null ? `the bucket is in the region ${region}` : '',
    code === SKEWED && !Number.isNaN(theirMs) ? `the clocks differ by ${Math.round((nowMs - theirMs) / 1000)} s` : '',
  ];
  return new S3Failure(action, status, code, notes.filter((note) => note !== '').join('; '));
}

/** Names the request that got no response; the runtime's errors do not. */
function describedFailure(action: string, error: unknown, limitMs: number): unknown {
  if (error instanceof ObjectStoreError) return error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const text = errorText(error);
  const reason = isTimeout ? `no answer within ${Math.round(limitMs)} ms` : text;
  return new ObjectStoreError(`the object store did not answer ${action}: ${reason}`);
}

/** Whether the credentials may have expired. A response to HEAD has no code. */
function isExpiry({ method }: Sent, error: unknown): boolean {
  if (!(error instanceof S3Failure)) return false;
  return EXPIRED.has(error.code) || (method === 'HEAD' && (error.status === 400 || error.status === 403));
}

/** Returns the text of the first element with a name. The store's documents have no attributes that matter. */
function element(text: string, name: string): string | undefined {
  const content = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return content?.replace(/&(lt|gt|quot|apos|amp|#34|#39);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  '#34': '"',
  '#39': "'",
};
