/** Encodes requests as bytes, and finds the end of a response. */
import type { BenchRequest } from './requests.ts';

/** Returns the bytes of a request. */
export function bytesOf(port: number, request: BenchRequest): Buffer {
  const { method, path, body, contentType = 'application/x-www-form-urlencoded' } = request;
  const { idempotencyKey, authorization, accept } = request;
  const type = `Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const key = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
  const credentials = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  const expected = accept === undefined ? '' : `Accept: ${accept}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${key}${credentials}${expected}`;
  return Buffer.from(`${head}${method === 'GET' || method === 'DELETE' ? '' : type}\r\n${body}`);
}

const LENGTH = Buffer.from('ontent-Length: ');
const LOWER_LENGTH = Buffer.from('ontent-length: ');
const HEAD_END = Buffer.from('\r\n\r\n');
const NO_CONTENT = Buffer.from(' 204 ');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Returns the length of a complete response in bytes, or undefined if it is incomplete. */
export function answerLength(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  if (bytes.subarray(8, 8 + NO_CONTENT.length).equals(NO_CONTENT)) return headEnd + 4;
  let at = bytes.indexOf(LENGTH);
  if (at < 0) at = bytes.indexOf(LOWER_LENGTH);
  if (at < 0 || at > headEnd) return bytes.subarray(-5).equals(LAST_CHUNK) ? bytes.length : undefined;
  let length = 0;
  for (at += LENGTH.length; ; at++) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    length = length * 10 + digit;
  }
  const whole = headEnd + 4 + length;
  return bytes.length >= whole ? whole : undefined;
}
