/** Tests that the engine rejects responses that no node should send, early and with little memory. */
import { describe, expect, test } from 'bun:test';
import { fuzzContext } from '../../../../test/fixtures/cluster/wire-examples.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { decodeValue } from '../binary/decoder.ts';
import { TypeNeeded } from '../binary/type-metadata.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { AFFINITY, CACHE, CLUSTER, TYPE } from '../operations/grid-operations.ts';
import { fieldsNextPage, QUERY } from '../operations/query-operations.ts';
import { readWithTypes, unreadableResponse } from '../operations/responses.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { Features, offeredFeatures } from '../protocol/features.ts';
import { readJdbcMetadata, readJdbcRows } from './jdbc.ts';

const context = fuzzContext();
const session = { features: new Features(offeredFeatures()), context };
const HUGE = 'ffffff7f';
const NEGATIVE = 'ffffffff';

/** Returns the outcome of reading the bytes; types that the reader needs are fetched. */
async function reasonOf(read: (reader: ByteReader) => unknown, bytes: Buffer): Promise<string> {
  try {
    await readWithTypes(new ByteReader(bytes), context.types, read);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return error.message;
  }
}

const value = (reader: ByteReader) => decodeValue(reader, context);

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

describe('a count that exceeds the message is rejected before anything is read', () => {
  const readers: ReadonlyArray<readonly [string, (reader: ByteReader) => unknown, string]> = [
    ['rows without columns', (reader) => fieldsNextPage(0).read(reader, session), ''],
    ['rows of a statement', (reader) => QUERY.statement.read(reader, session), '0000000000000000 00000000'],
    ['columns of a statement', (reader) => QUERY.statement.read(reader, session), '0000000000000000'],
    ['entries of a scan', (reader) => QUERY.scan.read(reader, session), '0000000000000000'],
    ['entries of getAll', (reader) => ENTRY.getAll.read(reader, session), ''],
    ['names of caches', (reader) => CACHE.names.read(reader), ''],
    ['fields of a type', (reader) => TYPE.fetch.read(reader), '01 01000000 65 65'],
    ['constants of an enumeration', (reader) => TYPE.fetch.read(reader), '01 01000000 65 65 00000000 01'],
    ['schemas of a type', (reader) => TYPE.fetch.read(reader), '01 01000000 65 65 00000000 00'],
    ['fields of a schema', (reader) => TYPE.fetch.read(reader), '01 01000000 65 65 00000000 00 01000000 01000000'],
    ['ids of nodes', (reader) => CLUSTER.nodeIds.read(reader), '01 0000000000000000'],
    ['nodes', (reader) => CLUSTER.nodes.read(reader, session), ''],
    ['endpoints', (reader) => CLUSTER.endpoints.read(reader), '0000000000000000'],
    ['groups of partitions', (reader) => AFFINITY.partitions.read(reader, session), '0000000000000000 00000000'],
    ['rows of the JDBC dialect', (reader) => readJdbcRows(reader, context), '00'],
    ['columns of a row', (reader) => readJdbcRows(reader, context), '00 01000000'],
    ['columns of the JDBC dialect', readJdbcMetadata, ''],
    ['a collection', value, '18'],
    ['a map', value, '19'],
    ['an array of objects', value, '17 ffffffff'],
    ['an array of enumeration constants', value, '1d ffffffff'],
    ['an array of bytes', value, '0c'],
    ['an array of longs', value, '0f'],
    ['an array of strings', value, '14'],
    ['interfaces of a proxy', value, '23'],
    ['a serialized blob', value, 'fe'],
    ['a wrapped object', value, '1b'],
    ['digits of a decimal', value, '1e 00000000'],
  ];
  test.each(readers)('%s', async (_title, read, head) => {
    for (const count of [HUGE, NEGATIVE, '00000080', '40000000']) {
      expect(await reasonOf(read, hex(`${head} ${count} 00000000 00000000`))).toMatch(
        /do not fit into|more than 4096 nodes/,
      );
    }
  });

  test('a string', async () => {
    expect(await reasonOf(value, hex(`09 ${HUGE} 41`))).toBe('2147483647 bytes do not fit into 1 bytes');
    expect(await reasonOf(value, hex(`09 ${NEGATIVE} 41`))).toBe('-1 bytes do not fit into 1 bytes');
  });
});

/** An object's header: flags, type id, length, schema id, footer. */
function header(flags: number, typeId: number, length: number, footer: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes[0] = 103;
  bytes[1] = 1;
  bytes.writeInt16LE(flags, 2);
  bytes.writeInt32LE(typeId, 4);
  bytes.writeInt32LE(length, 12);
  bytes.writeInt32LE(footer, 20);
  return bytes;
}

/** Flags: a schema whose footer holds ids and offsets of one byte. */
const SCHEMA = 2 + 8;

describe('parts of an object that are outside it are rejected', () => {
  const field = hex('03 01000000');
  const footer = hex('05000000 18');
  const cases: ReadonlyArray<readonly [string, Buffer, string]> = [
    ['a length below its header', header(0, 1, 23, 0), 'an object has 23 bytes'],
    ['a length of zero', header(0, 1, 0, 0), 'an object has 0 bytes'],
    ['a negative length', header(0, 1, -5, 0), 'an object has -5 bytes'],
    ['a length beyond the message', header(0, 1, 1000, 0), '1000 bytes do not fit into 24 bytes'],
    ['a footer before its data', header(SCHEMA, 5, 24, 3), 'parts of an object are outside it'],
    ['a footer after its end', header(SCHEMA, 5, 24, 25), 'parts of an object are outside it'],
    ['a negative footer', header(SCHEMA, 5, 24, -9), 'parts of an object are outside it'],
    [
      'a field after the footer',
      Buffer.concat([header(SCHEMA, 5, 34, 29), field, hex('05000000 1e')]),
      'an offset points outside its object',
    ],
    [
      'a field in the header',
      Buffer.concat([header(SCHEMA, 5, 34, 29), field, hex('05000000 00')]),
      'an offset points outside its object',
    ],
    [
      'two fields at the same position',
      Buffer.concat([header(SCHEMA, 5, 39, 29), field, footer, footer]),
      'an offset points outside its object',
    ],
    [
      'a field that is longer than its object',
      Buffer.concat([header(SCHEMA, 5, 34, 29), hex('04 01000000'), footer, Buffer.alloc(20)]),
      'a value is longer than its object',
    ],
    [
      'a name after its end',
      Buffer.concat([header(0, 0, 24, 0), hex('09 02000000 4141')]),
      'parts of an object are outside it',
    ],
    [
      'a wrapped object whose offset leaves it',
      hex('1b 02000000 6565 ffffff7f'),
      'an offset points outside its object',
    ],
    ['a handle to itself', hex('66 00000000'), 'an offset points outside its object'],
    ['a handle to a later position', hex('66 fbffffff 65'), 'an offset points outside its object'],
    ['a handle to before the message', hex('66 ffffff7f'), 'an offset points outside its object'],
    ['an array that holds itself', hex('14 01000000 66 05000000'), 'values are nested deeper than 1000'],
  ];
  test.each(cases)('%s', async (_title, bytes, reason) => {
    expect(await reasonOf(value, bytes)).toBe(reason);
  });
});

/** A list in a list, nested to the given depth. */
function nestedLists(depth: number): Buffer {
  return Buffer.concat([Buffer.from('180100000001'.repeat(depth), 'hex'), Buffer.of(101)]);
}

describe('numbers and nesting are bounded', () => {
  test('nested collections', async () => {
    expect(await reasonOf(value, nestedLists(WIRE_BOUNDS.depth))).toBe('accepted');
    expect(await reasonOf(value, nestedLists(WIRE_BOUNDS.depth + 1))).toBe('values are nested deeper than 1000');
    expect(await reasonOf(value, nestedLists(1_000_000))).toBe('values are nested deeper than 1000');
  });

  test('digits and scale of a decimal', async () => {
    const decimal = (scale: number, bytes: number): Buffer => {
      const writer = new ByteWriter();
      writer.u8(30);
      writer.i32(scale);
      writer.i32(bytes);
      writer.raw(Buffer.alloc(bytes, 1));
      return Buffer.from(writer.view());
    };
    expect(await reasonOf(value, decimal(WIRE_BOUNDS.decimalScale, WIRE_BOUNDS.numberBytes))).toBe('accepted');
    expect(await reasonOf(value, decimal(WIRE_BOUNDS.decimalScale + 1, 1))).toBe('a decimal has the scale 100001');
    expect(await reasonOf(value, decimal(-2_147_483_648, 1))).toBe('a decimal has the scale -2147483648');
    expect(await reasonOf(value, decimal(0, WIRE_BOUNDS.numberBytes + 1))).toBe('a number has 4097 bytes');
  });

  test('nanoseconds of a millisecond, and dates beyond those of the runtime', async () => {
    expect(await reasonOf(value, hex('21 0000000000000000 40420f00'))).toBe('a millisecond has no 1000000 ns');
    for (const code of ['0b', '24']) expect(await reasonOf(value, hex(`${code} ffffffffffffff7f`))).toBe('accepted');
    expect(await reasonOf(value, hex('21 0000000000000080 00000000'))).toBe('accepted');
  });

  test('nodes of a cluster', async () => {
    const nodes = Buffer.concat([hex('01 0000000000000000 01100000'), Buffer.alloc(16 * 4_097)]);
    expect(await reasonOf((reader) => CLUSTER.nodeIds.read(reader), nodes)).toBe('a cluster of more than 4096 nodes');
  });

  test('partitions of a cache', async () => {
    const head = '0000000000000000 00000000 01000000 01 00000000 01000000 0a 00000000000000000000000000000000 01000000';
    const read = (reader: ByteReader) => AFFINITY.partitions.read(reader, session);
    expect(await reasonOf(read, hex(`${head} 05000000 01`))).toBe('accepted');
    expect(await reasonOf(read, hex(`${head} ffffff7f 01`))).toBe('there is no partition 2147483647');
    expect(await reasonOf(read, hex(`${head} ffffffff 01`))).toBe('there is no partition -1');
  });
});

describe('references to parts of the message cannot multiply its size', () => {
  /**
   * A list whose first element is a list of 64 nulls, and each further element a list of 64 handles to the previous
   * one.
   */
  function bomb(levels: number): Buffer {
    const parts = [
      hex(`18 ${(levels + 1).toString(16).padStart(2, '0')}000000 01`),
      hex(`18 40000000 01 ${'65'.repeat(64)}`),
    ];
    let at = 6;
    let next = at + 6 + 64;
    for (let level = 0; level < levels; level++) {
      const list = Buffer.alloc(6 + 64 * 5);
      hex('18 40000000 01').copy(list);
      for (let index = 0; index < 64; index++) {
        const place = 6 + index * 5;
        list[place] = 102;
        list.writeInt32LE(next + place - at, place + 1);
      }
      parts.push(list);
      at = next;
      next += list.length;
    }
    return Buffer.concat(parts);
  }

  test('a few references are followed', async () => expect(await reasonOf(value, bomb(2))).toBe('accepted'));

  test.each([5, 20, 100])('%p levels of 64 references are rejected', async (levels) => {
    expect(await reasonOf(value, bomb(levels))).toBe('the message refers to its own parts too often');
  });

  test('a response that requires a new type at each read is rejected', async () => {
    const reads: number[] = [];
    const types = fuzzContext().types;
    const read = (): never => {
      reads.push(reads.length);
      throw new TypeNeeded(reads.length);
    };
    expect(readWithTypes(new ByteReader(Buffer.alloc(4)), types, read)).rejects.toThrow('more than 256 types');
    await readWithTypes(new ByteReader(Buffer.alloc(4)), types, read).catch(() => {});
    expect(reads.length).toBe(2 * (WIRE_BOUNDS.typesPerResponse + 1));
  });
});

test('an unreadable response becomes a declared error', () => {
  expect(unreadableResponse(new MalformedMessage('it ends early'))).toMatchObject({
    code: 'CLUSTER_ANSWER_INVALID',
    message: 'A node of the cluster sent an unreadable response: it ends early',
  });
  const other = new Error('other');
  expect(unreadableResponse(other)).toBe(other);
});
