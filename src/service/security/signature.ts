/** Verification of the header X-Signature: `<timestamp>:<hash>` (docs/spec/ignite-cluster.md 7.1). */
import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import type { SignatureCheck } from '../request.ts';

export interface SignatureOptions {
  readonly secretKey: string;
  readonly clock: Clock;
  /** Maximum distance of the timestamp from now in ms; unlimited if undefined. Implies `timestampedOnly`. */
  readonly maxAgeMs: number | undefined;
  /** Rejects the hash of the key alone, which anyone who saw one request could reuse forever. */
  readonly timestampedOnly: boolean;
  /** Called once, at the first use of the key's hash alone. */
  readonly onFixedForm: () => void;
}

const MILLISECONDS = /^\d+(?:\.\d+)?$/;

/**
 * Creates the verification. The hash is Base64 of SHA-1 over `<timestamp>:<key>`, as in Ignite, or over the key alone,
 * as in the contract, whose timestamp is a time in ms; Ignite's may be anything. The comparison ignores case, as
 * clients expect.
 */
export function createSignature(options: SignatureOptions): SignatureCheck {
  const { secretKey, clock, maxAgeMs, onFixedForm } = options;
  const timestampedOnly = options.timestampedOnly || maxAgeMs !== undefined;
  const fixed = hashOf(secretKey);
  let fixedFormSeen = false;

  return {
    check(request) {
      const header = request.header('x-signature');
      if (header === null) throw gridError('SIGNATURE_WRONG', 'the header X-Signature is missing');
      const [timestamp, hash, further] = header.split(':').filter((part) => part !== '');
      if (timestamp === undefined || hash === undefined || further !== undefined) {
        throw gridError('SIGNATURE_WRONG', 'the header X-Signature must have the form timestamp:hash');
      }
      // Both are always compared, so that the time reveals nothing about either.
      const isTimestamped = isEqual(hash, hashOf(`${timestamp}:${secretKey}`));
      const isFixed = isEqual(hash, fixed) && MILLISECONDS.test(timestamp);
      if (!isTimestamped && (timestampedOnly || !isFixed)) throw gridError('SIGNATURE_WRONG', 'the hash is wrong');
      if (maxAgeMs !== undefined && !(Math.abs(clock.nowMs() - Number(timestamp)) <= maxAgeMs)) {
        throw gridError('SIGNATURE_WRONG', 'the timestamp is too old or not in milliseconds');
      }
      if (!isTimestamped && !fixedFormSeen) {
        fixedFormSeen = true;
        onFixedForm();
      }
    },
  };
}

function hashOf(text: string): Buffer {
  return Buffer.from(Bun.CryptoHasher.hash('sha1', text, 'base64').toLowerCase());
}

function isEqual(hash: string, expected: Buffer): boolean {
  const given = Buffer.from(hash.toLowerCase());
  return given.length === expected.length && crypto.timingSafeEqual(given, expected);
}
