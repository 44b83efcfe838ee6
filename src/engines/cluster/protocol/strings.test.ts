import { expect, test } from 'bun:test';
import { pick, randomText, seededRandom } from '../../../../test/fixtures/values/random-values.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { readString, writeString } from './strings.ts';

const SEED = Number(process.env.SVC_SEED ?? 20_271);
/** Lengths around those from which strings are written and read in a different way. */
const LENGTHS = [0, 1, 31, 32, 33, 63, 64, 65, 300] as const;
const CHARACTERS = ['a', '\0', '\x7f', '\x80', 'é', '€', '😀'] as const;

function messageOf(texts: ReadonlyArray<string | undefined>): Buffer {
  const writer = new ByteWriter(64);
  for (const text of texts) writeString(writer, text);
  return writer.copy();
}

function textsOf(bytes: Buffer, count: number, start = 0, end = bytes.length): Array<string | undefined> {
  const reader = new ByteReader(bytes, start, end);
  return Array.from({ length: count }, () => readString(reader));
}

for (const length of LENGTHS) {
  test(`strings of ${length} characters are UTF-8 and read back`, () => {
    for (const character of CHARACTERS) {
      for (const text of [character.repeat(length), 'a'.repeat(length) + character, character + 'a'.repeat(length)]) {
        const utf8 = Buffer.from(text);
        expect(messageOf([text]).subarray(5)).toEqual(utf8);
        // A short message, and one that is long enough to share its text.
        for (const further of [1, 300]) {
          const texts = [text, undefined, 'b'.repeat(further), text];
          expect(textsOf(messageOf(texts), texts.length)).toEqual(texts);
        }
      }
    }
  });
}

test(`messages of any size, also as parts of a buffer, read back (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  for (const count of [1, 5, 60, 3_000]) {
    const texts = Array.from({ length: count }, () =>
      random.below(2) === 0
        ? String(random.below(1_000_000))
        : randomText(random, pick(random, [3, 40, 90])).toWellFormed(),
    );
    const bytes = messageOf(texts);
    expect(textsOf(bytes, count)).toEqual(texts);
    const framed = Buffer.concat([Buffer.alloc(7, 0xff), bytes, Buffer.alloc(9, 0xff)]);
    expect(textsOf(framed, count, 7, 7 + bytes.length)).toEqual(texts);
  }
});

test.each(['\ud800', 'a\udc00b', `${'x'.repeat(100)}\ud800`, '\ud83d\ude00\ud83d'])(
  'rejects lone surrogates: %j',
  (text) => {
    expect(() => messageOf([text])).toThrow('it has a lone surrogate, which a cluster cannot store');
  },
);
