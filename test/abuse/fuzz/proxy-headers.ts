/** Fuzzes the reader of headers of the PROXY protocol, with the bytes arriving one after another, against a model. */
import { isIP } from 'node:net';
import { GridError } from '../../../src/base/errors.ts';
import { type ProxyHeader, parseProxyHeader } from '../../../src/http/proxy-header.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { anyBytes, damage, oneIn, smallerTexts } from './mutations.ts';

/** Returns the header, or undefined while it is incomplete. Throws a GridError for a header that it rejects. */
export type HeaderReader = (bytes: Buffer) => ProxyHeader | undefined;

const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n';
const FIXED_BYTES = 16;
const LARGEST = 4_096;
/** Command and family of the reported connection: TCP over IPv4 and IPv6, UDP, Unix sockets, unknown ones. */
const FAMILIES = [
  '\x21\x11',
  '\x21\x21',
  '\x20\x00',
  '\x21\x00',
  '\x21\x12',
  '\x21\x31',
  '\x20\x11',
  '\x21\x22',
] as const;
const UNKNOWN = ['\x11\x11', '\x31\x11', '\x22\x11', '\x2f\x11', '\x00\x00', '\xff\xff'] as const;
const BEHIND = ['', 'GET / HTTP/1.1\r\n', '\x16\x03\x01\x02\x00\x01', SIGNATURE, '\0'] as const;
const FRAGMENTS = ['\0', '\x21', '\x11', '\xff', '\r\n', 'PROXY TCP4 ', SIGNATURE, '\x0c', '\x10\x01'] as const;

/** Compares a reader of headers with the model. An input is a text with one byte per character. */
export function proxyFuzzer(read: HeaderReader = parseProxyHeader): Fuzzer<string> {
  return {
    name: 'proxy-headers',
    generate(random) {
      if (oneIn(random, 50)) return anyBytes(random, 60);
      const header = headerOf(random);
      const whole = header + random.pick(BEHIND);
      return oneIn(random, 3) ? damage(random, whole, FRAGMENTS) : whole;
    },
    check(input) {
      const whole = Buffer.from(input, 'latin1');
      const step = Math.max(1, Math.ceil(whole.length / 100));
      for (let length = 0; length < whole.length; length += step) checkPart(read, whole.subarray(0, length));
      const header = checkPart(read, whole);
      if (header?.client !== undefined && isIP(header.client.address) === 0) {
        throw new Error(`${header.client.address} is not an address`);
      }
    },
    smaller: smallerTexts,
    show: (input) => JSON.stringify(input),
  };
}

function headerOf(random: Random): string {
  const family = oneIn(random, 6) ? random.pick(UNKNOWN) : random.pick(FAMILIES);
  const usual = family === '\x21\x21' ? 36 : 12;
  const length = random.pick([usual, usual, usual + 7, usual - 1, 0, random.below(80), LARGEST, LARGEST + 1, 65_535]);
  const sent = random.pick([length, length, length, Math.max(0, length - 1), random.below(40)]);
  const fields = Array.from({ length: Math.min(sent, LARGEST) }, () => String.fromCharCode(random.below(256))).join('');
  return `${SIGNATURE}${family}${String.fromCharCode(length >> 8, length & 255)}${fields}`;
}

/**
 * Compares the header read from the bytes with the model; returns it, or undefined for rejected and incomplete headers.
 */
function checkPart(read: HeaderReader, bytes: Buffer): ProxyHeader | undefined {
  const actual = accepted(read, bytes);
  mustEqual(actual, modelHeader(bytes), `header of ${bytes.length} bytes`);
  return typeof actual === 'object' ? actual : undefined;
}

type Outcome = ProxyHeader | 'incomplete' | 'rejected';

function accepted(read: HeaderReader, bytes: Buffer): Outcome {
  try {
    return read(bytes) ?? 'incomplete';
  } catch (error) {
    if (error instanceof GridError && error.code === 'REQUEST_MALFORMED') return 'rejected';
    throw error;
  }
}

function modelHeader(bytes: Buffer): Outcome {
  const text = bytes.toString('latin1');
  const known = Math.min(text.length, SIGNATURE.length);
  if (text.slice(0, known) !== SIGNATURE.slice(0, known)) return 'rejected';
  if (text.length < FIXED_BYTES) return 'incomplete';
  if (!/^[\x20\x21]/.test(text.slice(12))) return 'rejected';
  const length = text.charCodeAt(14) * 256 + text.charCodeAt(15);
  if (length > LARGEST) return 'rejected';
  const end = FIXED_BYTES + length;
  if (text.length < end) return 'incomplete';
  const family = text.slice(12, 14);
  const values = [...text.slice(FIXED_BYTES, end)].map((character) => character.charCodeAt(0));
  const numberAt = (at: number): number => (values[at] ?? 0) * 256 + (values[at + 1] ?? 0);
  if (family === '\x21\x11') {
    if (values.length < 12) return 'rejected';
    return { bytes: end, client: { address: values.slice(0, 4).join('.'), port: numberAt(8) } };
  }
  if (family !== '\x21\x21') return { bytes: end, client: undefined };
  if (values.length < 36) return 'rejected';
  const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => numberAt(at).toString(16));
  return { bytes: end, client: { address: groups.join(':'), port: numberAt(32) } };
}
