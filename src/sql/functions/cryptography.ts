/** Functions on bytes: digests, ciphers, compression, random bytes and identifiers. */

import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { randomBytes, randomUuid } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { SqlFunction } from '../types/sql-types.ts';
import { BINARY, type Call, defineFunctions, integerOfLong, UUID, withoutArguments } from './definition.ts';
import { compressLzf, expandLzf } from './lzf.ts';
import { checkBinaryLength } from './text-builder.ts';

/** The block of AES, to which H2 pads. */
const BLOCK_BYTES = 16;
/** Number of iterations of HASH, or blocks of XTEA, between polls: a few milliseconds. */
const POLL_ROUNDS = 4_096;

function hash(call: Call): Uint8Array {
  const algorithm = call.text(0);
  if (algorithm.toUpperCase() !== 'SHA256') throw sqlFailure('INVALID_VALUE', algorithm, 'algorithm');
  const iterations = call.integer(2);
  const limit = SQL_FUNCTION_BOUNDS.hashIterations;
  if (iterations > limit) throw gridError('LIMIT_EXCEEDED', 'iterations of HASH', limit, iterations, 'fixed');
  let bytes = call.bytes(1);
  for (let round = 0; round < iterations; round += 1) {
    bytes = new Uint8Array(createHash('sha256').update(bytes).digest());
    if (round % POLL_ROUNDS === POLL_ROUNDS - 1) call.environment.poll?.();
  }
  return bytes;
}

/** Pads bytes with zeros to a whole number of blocks. */
function inBlocks(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  return padded;
}

/** Returns the key of the cipher: 16 bytes, padded with zeros or truncated. */
function keyOf(call: Call): Uint8Array {
  if (call.bytes(1).length === 0) throw sqlFailure('INVALID_VALUE', '', 'key');
  return inBlocks(call.bytes(1)).slice(0, BLOCK_BYTES);
}

function cipher(call: Call, encrypt: boolean): Uint8Array {
  const algorithm = call.text(0).toUpperCase();
  checkBinaryLength(call.bytes(2).length);
  const data = inBlocks(call.bytes(2));
  if (algorithm === 'XTEA') return xtea(keyOf(call), data, encrypt, call.environment.poll);
  if (algorithm !== 'AES') throw sqlFailure('CIPHER_UNSUPPORTED', call.text(0));
  const stream = (encrypt ? createCipheriv : createDecipheriv)('aes-128-ecb', keyOf(call), null).setAutoPadding(false);
  const result = new Uint8Array(data.length);
  result.set(stream.update(data));
  stream.final();
  return result;
}

const XTEA_CYCLES = 16;

/** Encrypts or decrypts with XTEA in ECB mode as Ignite does: 16 cycles instead of the usual 32. */
function xtea(key: Uint8Array, data: Uint8Array, encrypt: boolean, poll: (() => void) | undefined): Uint8Array {
  const delta = 0x9e3779b9;
  const keyView = new DataView(key.buffer, key.byteOffset, key.byteLength);
  const result = data.slice();
  const view = new DataView(result.buffer);
  const mix = (word: number, sum: number, place: number): number =>
    (((word << 4) ^ (word >>> 5)) + word) ^ (sum + keyView.getUint32((place & 3) * 4));
  for (let at = 0; at < result.length; at += 8) {
    if (at % (8 * POLL_ROUNDS) === 0) poll?.();
    let [left, right] = [view.getUint32(at), view.getUint32(at + 4)];
    let sum = encrypt ? 0 : Math.imul(delta, XTEA_CYCLES);
    for (let round = 0; round < XTEA_CYCLES; round += 1) {
      if (encrypt) {
        left = (left + mix(right, sum, sum)) | 0;
        sum = (sum + delta) | 0;
        right = (right + mix(left, sum, sum >>> 11)) | 0;
      } else {
        right = (right - mix(left, sum, sum >>> 11)) | 0;
        sum = (sum - delta) | 0;
        left = (left - mix(right, sum, sum)) | 0;
      }
    }
    view.setInt32(at, left);
    view.setInt32(at + 4, right);
  }
  return result;
}

/** The first byte of compressed data: the algorithm. */
const STORED = 0;
const LZF = 1;
const DEFLATE = 2;

/** Shorter data is stored uncompressed. */
const COMPRESS_MIN_BYTES = 5;

function compress(call: Call): Uint8Array {
  const data = call.bytes(0);
  checkBinaryLength(data.length);
  const [algorithm = 'LZF', ...options] = (call.count > 1 ? call.text(1) : 'LZF').trim().toUpperCase().split(/\s+/);
  const known: ReadonlyMap<string, number> = new Map([
    ['NO', STORED],
    ['LZF', LZF],
    ['DEFLATE', DEFLATE],
  ]);
  const wanted = known.get(algorithm);
  if (wanted === undefined) throw unknownAlgorithm(algorithm);
  const body = data.length < COMPRESS_MIN_BYTES ? data : compressWith(wanted, data, options);
  const stored = body.length >= data.length;
  const kept = stored ? data : body;
  const head = [stored ? STORED : wanted, ...variableLength(data.length)];
  const result = new Uint8Array(head.length + kept.length);
  result.set(head);
  result.set(kept, head.length);
  return result;
}

function compressWith(algorithm: number, data: Uint8Array, options: readonly string[]): Uint8Array {
  if (algorithm === STORED) return data;
  if (algorithm === LZF) return compressLzf(data);
  const level = options[options.indexOf('L') + 1];
  return new Uint8Array(
    deflateSync(data, level !== undefined && /^[0-9]$/.test(level) ? { level: Number(level) } : {}),
  );
}

/** Encodes a length. The leading bits of the first byte determine how many bytes follow. */
function variableLength(length: number): number[] {
  const bytes = [length & 255, (length >>> 8) & 255, (length >>> 16) & 255, length >>> 24];
  if (length < 0x80) return [length];
  const marks = [0x80, 0xc0, 0xe0, 0xf0];
  const count = length < 0x4000 ? 1 : length < 0x20_0000 ? 2 : length < 0x1000_0000 ? 3 : 4;
  const first = (marks[count - 1] ?? 0) | (count === 4 ? 0 : (bytes[count] ?? 0));
  return [first, ...bytes.slice(0, count).reverse()];
}

function expand(call: Call): Uint8Array {
  const data = call.bytes(0);
  const algorithm = data[0] ?? STORED;
  if (algorithm > DEFLATE) throw unknownAlgorithm(String(algorithm));
  const first = data[1];
  if (first === undefined) throw compressionFailure();
  const following = first < 0x80 ? 0 : first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const top = [first, first & 0x3f, first & 0x1f, first & 0x0f, 0][following] ?? 0;
  const length = data.slice(2, 2 + following).reduce((sum, byte) => sum * 256 + byte, top);
  checkBinaryLength(length);
  const body = data.subarray(2 + following);
  const result =
    algorithm === STORED ? body.slice(0, length) : algorithm === LZF ? expandLzf(body, length) : inflate(body, length);
  if (result === undefined || result.length !== length) throw compressionFailure();
  return result;
}

function inflate(body: Uint8Array, length: number): Uint8Array | undefined {
  try {
    return new Uint8Array(inflateSync(body, { maxOutputLength: Math.max(length, 1) }));
  } catch {
    return undefined;
  }
}

function unknownAlgorithm(name: string): SqlFailure {
  return sqlFailure('COMPRESSION_UNSUPPORTED', name);
}

function compressionFailure(): SqlFailure {
  return sqlFailure('COMPRESSION');
}

/** Returns the same as java.lang.String.hashCode. */
function hashCode(text: string): number {
  let code = 0;
  for (let at = 0; at < text.length; at += 1) code = (Math.imul(code, 31) + text.charCodeAt(at)) | 0;
  return code;
}

function oracleHash(call: Call): bigint {
  const hash = hashCode(call.text(0));
  const seed = call.count > 2 ? call.integer(2) : 0;
  const seeded = seed === 0 ? hash : Math.imul(Math.imul(hash, seed), 17);
  const buckets = call.count > 1 ? call.integer(1) : 0;
  return BigInt(buckets > 0 ? seeded % buckets : seeded);
}

export const CRYPTOGRAPHY_FUNCTIONS: readonly SqlFunction[] = defineFunctions('numeric', [
  {
    names: ['HASH'],
    count: 3,
    argumentTypes: ['VARCHAR', 'BINARY', 'INTEGER'],
    result: BINARY,
    cheap: false,
    summary: 'Returns the SHA256 digest of bytes, iterated a number of times.',
    compute: hash,
  },
  {
    names: ['ORA_HASH'],
    count: [1, 3],
    argumentTypes: ['VARCHAR', 'INTEGER', 'INTEGER'],
    result: integerOfLong,
    summary: 'Returns the hash of a value, optionally as one of a number of buckets and with a seed.',
    compute: oracleHash,
  },
  {
    names: ['ENCRYPT'],
    count: 3,
    argumentTypes: ['VARCHAR', 'BINARY', 'BINARY'],
    result: BINARY,
    cheap: false,
    summary: 'Encrypts bytes with AES or XTEA in ECB mode, padded with zeros to 16 bytes.',
    compute: (call) => cipher(call, true),
  },
  {
    names: ['DECRYPT'],
    count: 3,
    argumentTypes: ['VARCHAR', 'BINARY', 'BINARY'],
    result: BINARY,
    cheap: false,
    summary: 'Decrypts the result of ENCRYPT; the zeros that padded the last block remain.',
    compute: (call) => cipher(call, false),
  },
  {
    names: ['COMPRESS'],
    count: [1, 2],
    argumentTypes: ['BINARY', 'VARCHAR'],
    result: BINARY,
    cheap: false,
    summary: 'Compresses bytes with LZF or DEFLATE, or stores them as they are (NO).',
    compute: compress,
  },
  {
    names: ['EXPAND'],
    count: 1,
    argumentTypes: ['BINARY'],
    result: BINARY,
    cheap: false,
    summary: 'Decompresses the result of COMPRESS.',
    compute: expand,
  },
  {
    names: ['SECURE_RAND'],
    count: 1,
    argumentTypes: ['INTEGER'],
    result: BINARY,
    deterministic: false,
    cheap: false,
    summary: 'Returns a number of random bytes that are fit for keys.',
    compute: (call) => secureBytes(call.integer(0)),
  },
  withoutArguments(['RANDOM_UUID', 'UUID', 'SYS_GUID'], UUID, 'Returns a random UUID.', () => randomUuid(), false),
]);

function secureBytes(wanted: number): Uint8Array {
  const count = Math.max(wanted, 1);
  checkBinaryLength(count);
  return randomBytes(count);
}
