/** The header X-Signature: `<timestamp>:<hash>` (docs/spec/contract.md 5.6, docs/spec/ignite-cluster.md 7.1). */
import crypto from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { RawRequest } from '../request.ts';

export interface SignatureOptions {
  readonly secretKey: string;
  readonly clock: Clock;
  /** How far the timestamp may be from now; undefined: any. Needs the hash over the timestamp. */
  readonly maxAgeMs: number | undefined;
  /** Refuse the hash of the key alone, which anyone who saw one request can use for ever. */
  readonly timestampedOnly: boolean;
  /** Told once, at the first use of the hash of the key alone. */
  readonly onFixedForm: () => void;
}

export interface Signature {
  /** Refuses SIGNATURE_WRONG. */
  check(request: Pick<RawRequest, 'header'>): void;
}

/**
 * The hash is Base64 of SHA-1 over `<timestamp>:<key>` as Ignite computes it, or over the key alone as the
 * contract words it; compared without regard to case, as clients expect.
 */
export function createSignature(options: SignatureOptions): Signature {
  const { secretKey, clock, maxAgeMs, onFixedForm } = options;
  const timestampedOnly = options.timestampedOnly || maxAgeMs !== undefined;
  const fixed = hashOf(secretKey);
  let fixedFormSeen = false;

  return {
    check(request) {
      const header = request.header('x-signature');
      if (header === null) throw fail('SIGNATURE_WRONG', 'the header X-Signature is missing');
      const [timestamp, hash, further] = header.split(':').filter((part) => part !== '');
      if (timestamp === undefined || hash === undefined || further !== undefined) {
        throw fail('SIGNATURE_WRONG', 'the header X-Signature is not of the form timestamp:hash');
      }
      // Both are compared always, so that time tells nothing about either.
      const isTimestamped = same(hash, hashOf(`${timestamp}:${secretKey}`));
      const isFixed = same(hash, fixed);
      if (!isTimestamped && (timestampedOnly || !isFixed)) throw fail('SIGNATURE_WRONG', 'the hash is wrong');
      if (maxAgeMs !== undefined && !(Math.abs(clock.nowMs() - Number(timestamp)) <= maxAgeMs)) {
        throw fail('SIGNATURE_WRONG', 'the timestamp is too old or not in milliseconds');
      }
      if (!isTimestamped && !fixedFormSeen) {
        fixedFormSeen = true;
        onFixedForm();
      }
    },
  };
}

function hashOf(text: string): Buffer {
  return Buffer.from(crypto.hash('sha1', text, 'base64').toLowerCase());
}

function same(hash: string, expected: Buffer): boolean {
  const given = Buffer.from(hash.toLowerCase());
  return given.length === expected.length && crypto.timingSafeEqual(given, expected);
}
