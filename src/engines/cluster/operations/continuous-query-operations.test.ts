/** The frames of continuous queries, as a node of Ignite 2.17 sent and accepted them. */
import { describe, expect, test } from 'bun:test';
import { UTC_ZONE } from '../binary/node-time-zone.ts';
import { BinaryTypes } from '../binary/type-metadata.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { CONTINUOUS_QUERY } from './continuous-query-operations.ts';

const context = {
  types: new BinaryTypes({
    fetchType: () => Promise.reject(new Error('no type is needed')),
    storeType: () => Promise.reject(new Error('no type is stored')),
  }),
  zone: UTC_ZONE,
};
const reader = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'));
const read = (hex: string) => CONTINUOUS_QUERY.readEvents(reader(hex), { context });
const shown = (hex: string): unknown[] =>
  read(hex).map(({ operation, key, value, oldValue }) => [operation, key, value, oldValue]);
const text = (data: string) => ({ type: 'string', data });

test('a request names the cache, one event per notification, no interval, expired entries, no filter', () => {
  const writer = new ByteWriter(64);
  CONTINUOUS_QUERY.write(writer, 0x0102);
  expect(writer.take().toString('hex')).toBe('0201000000' + '01000000' + '0000000000000000' + '01' + '65');
});

test('a response has the id of the query', () => {
  expect(CONTINUOUS_QUERY.read(reader('0100000000000000'))).toBe(1);
});

describe('an event of', () => {
  test.each([
    ['a new entry', '010000000901000000616509010000003100', [['created', text('a'), text('1'), undefined]]],
    [
      'a changed entry',
      '0100000009010000006109010000003109010000003201',
      [['updated', text('a'), text('2'), text('1')]],
    ],
    ['a removed entry', '010000000901000000610901000000326502', [['removed', text('a'), undefined, text('2')]]],
    ['an expired entry', '010000000901000000650901000000326503', [['expired', text('e'), undefined, text('2')]]],
    ['nothing', '00000000', []],
  ])('%s', (_, hex, expected) => {
    expect(shown(hex)).toEqual(expected);
  });

  test.each([
    ['an unknown kind', '010000000901000000616509010000003104'],
    ['more events than bytes', 'ffffff7f0901000000616509010000003100'],
    ['a cut', '0100000009010000006165'],
  ])('%s is malformed', (_, hex) => {
    expect(() => read(hex)).toThrow();
  });
});
