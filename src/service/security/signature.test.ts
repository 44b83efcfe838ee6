import { describe, expect, test } from 'bun:test';
import crypto from 'node:crypto';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { createSignature } from './signature.ts';

const sha1 = (text: string) => crypto.hash('sha1', text, 'base64');
const KEY = 's3cr3t';
const clock = new ManualClock();
const NOW = String(clock.nowMs());
const OLD = String(clock.nowMs() - 60_001);
const fixed = sha1(KEY);
const at = (timestamp: string) => `${timestamp}:${sha1(`${timestamp}:${KEY}`)}`;

interface Case {
  readonly title: string;
  readonly header: string | null;
  /** Accepted by default, in compatibility mode `reference`, and with a maximum age of a minute. */
  readonly accepted: readonly [boolean, boolean, boolean];
}

const cases: readonly Case[] = [
  { title: 'no header', header: null, accepted: [false, false, false] },
  { title: 'an empty header', header: '', accepted: [false, false, false] },
  { title: 'the hash over the timestamp', header: at(NOW), accepted: [true, true, true] },
  { title: 'an old timestamp', header: at(OLD), accepted: [true, true, false] },
  { title: 'a timestamp of tomorrow', header: at(String(clock.nowMs() + 86_400_000)), accepted: [true, true, false] },
  { title: 'a timestamp that is no number', header: at('abc'), accepted: [true, true, false] },
  { title: 'another letter case', header: at(NOW).toLowerCase(), accepted: [true, true, true] },
  { title: 'empty parts', header: `::${at(NOW).replace(':', '::')}:`, accepted: [true, true, true] },
  { title: 'the hash of the key alone', header: `${NOW}:${fixed}`, accepted: [true, false, false] },
  {
    title: 'a fraction of a ms beside the hash of the key',
    header: `${NOW}.25:${fixed}`,
    accepted: [true, false, false],
  },
  ...['abc', '1e3', '-1', ' ', '0x1', '1.', 'Infinity'].map((timestamp) => ({
    title: `the hash of the key beside ${JSON.stringify(timestamp)}, which is no time`,
    header: `${timestamp}:${fixed}`,
    accepted: [false, false, false] as const,
  })),
  { title: 'the hash of the key without a timestamp', header: fixed, accepted: [false, false, false] },
  { title: 'another timestamp than the hashed one', header: `1${at(NOW)}`, accepted: [false, false, false] },
  { title: 'another key', header: `${NOW}:${sha1(`${NOW}:other`)}`, accepted: [false, false, false] },
  { title: 'three parts', header: `${at(NOW)}:x`, accepted: [false, false, false] },
  {
    title: 'a hexadecimal hash',
    header: `${NOW}:${crypto.hash('sha1', `${NOW}:${KEY}`, 'hex')}`,
    accepted: [false, false, false],
  },
];

function accepts(header: string | null, timestampedOnly: boolean, maxAgeMs: number | undefined): boolean {
  const signature = createSignature({ secretKey: KEY, clock, maxAgeMs, timestampedOnly, onFixedForm: () => {} });
  try {
    signature.check({ header: (name) => (name === 'x-signature' ? header : null) });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'SIGNATURE_WRONG' });
    return false;
  }
}

describe('X-Signature', () => {
  for (const { title, header, accepted } of cases) {
    test(title, () => {
      expect([
        accepts(header, false, undefined),
        accepts(header, true, undefined),
        accepts(header, false, 60_000),
      ]).toEqual([...accepted]);
    });
  }

  test('the first use of the fixed form is told, once', () => {
    let told = 0;
    const options = { secretKey: KEY, clock, maxAgeMs: undefined, timestampedOnly: false, onFixedForm: () => told++ };
    const signature = createSignature(options);
    const check = (header: string) => signature.check({ header: () => header });
    check(at(NOW));
    expect(told).toBe(0);
    check(`${NOW}:${fixed}`);
    check(`${NOW}:${fixed}`);
    expect(told).toBe(1);
  });
});
