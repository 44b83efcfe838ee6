/** Tests that entries read as text are the same as entries read one by one. */
import { describe, expect, test } from 'bun:test';
import type { Entry } from '../../../grid/grid.ts';
import { writeText } from '../../../values/json.ts';
import { text, type Value } from '../../../values/value.ts';
import { encodeValue } from '../binary/encoder.ts';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { Features, offeredFeatures } from '../protocol/features.ts';
import { ENTRY } from './entry-operations.ts';

const unused = () => Promise.reject(new Error('no type is expected'));
const context = { types: new BinaryTypes({ fetchType: unused, storeType: unused }), zone: UTC_ZONE };
const session = { features: new Features(offeredFeatures()), context };

/** Returns a response in the middle of a buffer whose surrounding bytes do not end a string. */
function responseOf(entries: ReadonlyArray<readonly [Value, Value]>): ByteReader {
  const writer = new ByteWriter();
  writer.raw(Buffer.from('before'));
  const start = writer.length;
  writer.i32(entries.length);
  for (const [key, value] of entries) {
    encodeValue(writer, key, context);
    encodeValue(writer, value, context);
  }
  const end = writer.length;
  writer.raw(Buffer.from('"after"'));
  return new ByteReader(writer.copy(), start, end);
}

function bothOf(entries: ReadonlyArray<readonly [Value, Value]>) {
  const decoded: Entry[] = ENTRY.getAll.read(responseOf(entries), session);
  return { read: ENTRY.getAllAsText.read(responseOf(entries), session), decoded };
}

/** Returns the JSON of entries whose keys and values are strings. */
function jsonOf(entries: readonly Entry[]): string {
  const textOf = (value: Value) => writeText(value.type === 'string' ? value.data : 'not a string');
  return `{${entries.map(({ key, value }) => `${textOf(key)}:${textOf(value)}`).join(',')}}`;
}

const long: Value = { type: 'long', data: 5n };
const PLAIN: ReadonlyArray<readonly [string, ReadonlyArray<readonly [Value, Value]>]> = [
  ['no entry', []],
  ['one entry', [[text('a'), text('b')]]],
  ['empty strings', [[text(''), text('')]]],
  ['every printable character of ASCII', [[text(' !#[]~\u007f'), text(`/{}:,'0123456789`)]]],
  ['100 entries', Array.from({ length: 100 }, (_, index) => [text(`${index}`), text(`value-${index}`)] as const)],
];
const OTHERS: ReadonlyArray<readonly [string, ReadonlyArray<readonly [Value, Value]>]> = [
  ['a key that is no string', [[long, text('b')]]],
  ['a value that is no string', [[text('a'), long]]],
  ['null', [[text('a'), { type: 'null' }]]],
  ['a quote', [[text('a"'), text('b')]]],
  ['a backslash', [[text('a'), text('b\\')]]],
  ['a control character', [[text('a'), text('\u001f')]]],
  ['a character beyond ASCII', [[text('a'), text('\u0080')]]],
  ['a character beyond the basic plane', [[text('\u{1f600}'), text('b')]]],
  [
    'such a value at the end',
    [
      [text('a'), text('b')],
      [text('c'), text('\n')],
    ],
  ],
  ['more than 64 KiB', [[text('a'), text('b'.repeat(64 * 1024))]]],
];

describe('entries as text', () => {
  for (const [title, entries] of PLAIN) {
    test(`are JSON: ${title}`, () => {
      const { read, decoded } = bothOf(entries);
      expect(read).toBe(jsonOf(decoded));
      expect(decoded).toEqual(entries.map(([key, value]) => ({ key, value })));
    });
  }
  for (const [title, entries] of OTHERS) {
    test(`are the entries: ${title}`, () => {
      const { read, decoded } = bothOf(entries);
      expect(read).toEqual(decoded);
    });
  }

  test('are rejected when a count or a length exceeds the message', () => {
    const body = Buffer.from(responseOf([[text('a'), text('b')]]).raw(16));
    for (const at of [0, 5, 11]) {
      const changed = Buffer.from(body);
      changed.writeInt32LE(1_000, at);
      expect(() => ENTRY.getAllAsText.read(new ByteReader(changed), session)).toThrow(MalformedMessage);
      changed.writeInt32LE(-1, at);
      expect(() => ENTRY.getAllAsText.read(new ByteReader(changed), session)).toThrow(MalformedMessage);
    }
  });
});
