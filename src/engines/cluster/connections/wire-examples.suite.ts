/** Valid responses of every kind, which fuzzing mutates. */
import type { Value } from '../../../values/value.ts';
import type { BinaryContext } from '../binary/context.ts';
import { decodeValue } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import { hashOfLowerCase, schemaIdOf } from '../binary/java-hash.ts';
import { timeZoneNamed } from '../binary/node-time-zone.ts';
import { type BinaryType, BinaryTypes } from '../binary/type-metadata.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { AFFINITY, CACHE, CLUSTER, TASK, TYPE } from '../operations/grid-operations.ts';
import type { Session } from '../operations/operation.ts';
import { fieldsNextPage, QUERY } from '../operations/query-operations.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { NEWEST_VERSION, readHandshakeResponse } from '../protocol/handshake.ts';
import { writeString } from '../protocol/strings.ts';
import { readJdbcHandshake, readJdbcMetadata, readJdbcRows } from './jdbc.ts';

/** A reader of a response, with a response that it accepts. */
export type ResponseExample = readonly [name: string, read: (reader: ByteReader) => unknown, example: Buffer];

const PERSON_FIELDS = ['id', 'name', 'inner'];
/** The only type that the cluster of the examples knows. */
export const PERSON: BinaryType = {
  typeId: hashOfLowerCase('Person'),
  name: 'Person',
  affinityField: undefined,
  fields: PERSON_FIELDS.map((name) => ({ name, typeCode: 3, id: hashOfLowerCase(name) })),
  isEnum: false,
  enumNames: new Map([[0, 'RED']]),
  schemas: new Map(
    [1, 2, 3].map((count) => PERSON_FIELDS.slice(0, count).map(hashOfLowerCase)).map((ids) => [schemaIdOf(ids), ids]),
  ),
};

/** Values of every form on the wire. */
const SAMPLES: readonly Value[] = samples();

function samples(): Value[] {
  const scalars: Value[] = [
    { type: 'null' },
    { type: 'boolean', data: true },
    { type: 'byte', data: -2 },
    { type: 'short', data: 300 },
    { type: 'integer', data: 7 },
    { type: 'long', data: -1n },
    { type: 'float', data: 1.5 },
    { type: 'double', data: -0.25 },
    { type: 'char', data: 'x' },
    { type: 'string', data: 'some text' },
    { type: 'uuid', data: '123e4567-e89b-12d3-a456-426614174000' },
    { type: 'gridUuid', data: '12-123e4567-e89b-12d3-a456-426614174000' },
    { type: 'instant', data: 1_700_000_000_000 },
    { type: 'date', data: 19_000 },
    { type: 'time', data: 36_000_000 },
    { type: 'timestamp', data: 1_700_000_000_123_456_789n },
    { type: 'decimal', data: { unscaled: -12_345n, scale: 2 } },
    { type: 'bigInteger', data: 12_345_678_901_234_567_890n },
    { type: 'bytes', data: Uint8Array.of(1, 2, 3) },
    { type: 'enum', typeName: 'Person', ordinal: 0, name: 'RED' },
  ];
  const arrays = (['short', 'integer', 'long', 'float', 'double', 'char', 'boolean', 'string', 'uuid'] as const).map(
    (element): Value => ({ type: 'array', element, data: scalars.filter(({ type }) => type === element) }),
  );
  const list: Value = { type: 'list', data: scalars.slice(0, 10) };
  const pairs = scalars
    .slice(4, 8)
    .map((value): readonly [Value, Value] => [{ type: 'string', data: value.type }, value]);
  const person = (inner: Value): Value => ({
    type: 'object',
    typeName: 'Person',
    fields: [
      { name: 'id', value: { type: 'integer', data: 1 } },
      { name: 'name', value: { type: 'string', data: 'ann' } },
      { name: 'inner', value: inner },
    ],
  });
  const containers: Value[] = [
    list,
    { type: 'list', data: [list, list], kind: 'hashSet' },
    { type: 'list', data: scalars.slice(4, 5), kind: 'treeSet' },
    { type: 'map', data: pairs },
    { type: 'map', data: pairs, kind: 'treeMap' },
    { type: 'array', element: 'object', data: scalars.slice(3, 9) },
    person(list),
    person(person({ type: 'map', data: pairs })),
  ];
  return [...scalars, ...arrays, ...containers];
}

/** Returns the context of a cluster with one type. */
export function fuzzContext(): BinaryContext {
  const types = new BinaryTypes({
    fetchType: (typeId) => Promise.resolve(typeId === PERSON.typeId ? PERSON : undefined),
    storeType: () => Promise.resolve(),
  });
  return { types, zone: timeZoneNamed('Europe/Berlin') };
}

function bytesOf(write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  write(writer);
  return Buffer.from(writer.view());
}

/** Returns every reader of a response with a response that it accepts. */
export function responsesOf(context: BinaryContext, session: Session): ResponseExample[] {
  const value = (writer: ByteWriter, each: Value): void => encodeValue(writer, each, context);
  const entries = (writer: ByteWriter): void => {
    writer.i32(SAMPLES.length);
    for (const each of SAMPLES) {
      value(writer, { type: 'integer', data: 1 });
      value(writer, each);
    }
  };
  const plainEntries = (writer: ByteWriter): void => {
    writer.i32(3);
    for (const name of ['a', 'b', 'c']) {
      value(writer, { type: 'string', data: name });
      value(writer, { type: 'string', data: `value of ${name}` });
    }
  };
  const table: ResponseExample[] = SAMPLES.map((each) => [
    `value ${each.type}`,
    (reader) => decodeValue(reader, context),
    bytesOf((writer) => value(writer, each)),
  ]);
  const rows = bytesOf((writer) => {
    writer.i64(5n);
    writer.i32(2);
    for (const name of ['A', 'B']) writeString(writer, name);
    writer.i32(3);
    for (let column = 0; column < 6; column++) value(writer, { type: 'integer', data: column });
    writer.bool(false);
  });
  const nextRows = Buffer.concat([
    bytesOf((writer) => writer.i32(3)),
    Buffer.from('65'.repeat(6), 'hex'),
    Buffer.of(0),
  ]);
  const texts = (writer: ByteWriter, count: number): void => {
    writer.i32(count);
    for (let index = 0; index < count; index++) writeString(writer, `text${index}`);
  };
  table.push(
    [
      'get',
      (reader) => ENTRY.get.read(reader, session),
      bytesOf((writer) => value(writer, SAMPLES[9] ?? { type: 'null' })),
    ],
    ['getAll', (reader) => ENTRY.getAll.read(reader, session), bytesOf(entries)],
    ['getAllAsText', (reader) => ENTRY.getAllAsText.read(reader, session), bytesOf(plainEntries)],
    ['size', (reader) => ENTRY.size.read(reader), bytesOf((writer) => writer.i64(4n))],
    [
      'scan',
      (reader) => QUERY.scan.read(reader, session),
      bytesOf((writer) => {
        writer.i64(9n);
        entries(writer);
        writer.bool(true);
      }),
    ],
    ['statement', (reader) => QUERY.statement.read(reader, session), rows],
    ['rows', (reader) => fieldsNextPage(2).read(reader, session), nextRows],
    ['rows without columns', (reader) => fieldsNextPage(0).read(reader, session), Buffer.alloc(5)],
    ['cache names', (reader) => CACHE.names.read(reader), bytesOf((writer) => texts(writer, 3))],
    ['cache configuration', (reader) => CACHE.configuration.read(reader, session), configurationExample()],
    ['type', (reader) => TYPE.fetch.read(reader), typeExample()],
    ['binary configuration', (reader) => TYPE.configuration.read(reader), Buffer.of(1, 0)],
    ['state', (reader) => CLUSTER.state.read(reader, session), Buffer.of(1)],
    [
      'node ids',
      (reader) => CLUSTER.nodeIds.read(reader),
      Buffer.concat([Buffer.of(1), Buffer.alloc(8), Buffer.of(2, 0, 0, 0), Buffer.alloc(32, 7)]),
    ],
    ['nodes', (reader) => CLUSTER.nodes.read(reader, session), nodeExample(value)],
    [
      'endpoints',
      (reader) => CLUSTER.endpoints.read(reader),
      bytesOf((writer) => {
        writer.i64(1n);
        writer.i32(1);
        writer.raw(Buffer.alloc(16, 3));
        writer.i32(10_800);
        texts(writer, 2);
      }),
    ],
    ['partitions', (reader) => AFFINITY.partitions.read(reader, session), partitionsExample()],
    ['task', (reader) => TASK.execute.read(reader), Buffer.alloc(8)],
    [
      'handshake',
      (reader) => readHandshakeResponse(reader, NEWEST_VERSION),
      Buffer.from(`010c03000000ffff0b0a${'11'.repeat(16)}`, 'hex'),
    ],
    ['JDBC handshake', readJdbcHandshake, bytesOf(jdbcError)],
    [
      'JDBC rows',
      (reader) => readJdbcRows(reader, context),
      Buffer.concat([Buffer.from('00020000000200000065650100000065', 'hex')]),
    ],
    ['JDBC columns', readJdbcMetadata, bytesOf((writer) => jdbcColumns(writer))],
  );
  return table;
}

function jdbcError(writer: ByteWriter): void {
  writer.bool(false);
  for (let part = 0; part < 3; part++) writer.i16(part);
  writeString(writer, 'no');
  writer.i32(1);
}

function jdbcColumns(writer: ByteWriter): void {
  writer.i32(2);
  for (let column = 0; column < 2; column++) {
    for (const name of ['PUBLIC', 'T', 'F']) writeString(writer, name);
    writer.i32(4);
    writeString(writer, 'INTEGER');
    writeString(writer, 'java.lang.Integer');
  }
}

function typeExample(): Buffer {
  const body = bytesOf((writer) => TYPE.store.write(writer, { ...PERSON, isEnum: true }));
  return Buffer.concat([Buffer.of(1), body]);
}

function configurationExample(): Buffer {
  return bytesOf((writer) => {
    writer.raw(Buffer.alloc(17));
    writeString(writer, 'region');
    writer.raw(Buffer.alloc(2));
    writeString(writer, undefined);
    writer.raw(Buffer.alloc(16));
    writeString(writer, 'cache');
    writer.raw(Buffer.alloc(1 + 12 + 1 + 44 + 1 + 4));
    writeString(writer, 'PUBLIC');
    writer.i32(0);
    writer.i32(1);
    for (const text of ['Person', 'id']) writeString(writer, text);
    writer.i32(1);
    for (const text of ['java.lang.Integer', 'Person', 'PERSON', 'id', undefined]) writeString(writer, text);
    writer.i32(1);
    for (const text of ['id', 'java.lang.Integer']) writeString(writer, text);
    writer.raw(Buffer.of(1, 0, 101));
    writer.raw(Buffer.alloc(8));
    writer.i32(1);
    for (const text of ['id', 'ID']) writeString(writer, text);
    writer.i32(1);
    writeString(writer, 'index');
    writer.raw(Buffer.alloc(5));
    writer.i32(1);
    writeString(writer, 'id');
    writer.bool(false);
  });
}

function nodeExample(value: (writer: ByteWriter, each: Value) => void): Buffer {
  return bytesOf((writer) => {
    writer.i32(1);
    writer.u8(10);
    writer.raw(Buffer.alloc(16, 5));
    writer.i32(1);
    writeString(writer, 'user.timezone');
    value(writer, { type: 'string', data: 'UTC' });
    for (let lists = 0; lists < 2; lists++) value(writer, { type: 'list', data: [{ type: 'string', data: 'host' }] });
    writer.i64(1n);
    writer.raw(Buffer.of(0, 1, 0));
    value(writer, { type: 'string', data: 'node' });
    writer.raw(Buffer.of(2, 17, 0));
    writeString(writer, 'stage');
    writer.i64(0n);
    writer.u8(12);
    writer.i32(2);
    writer.raw(Buffer.of(1, 2));
  });
}

function partitionsExample(): Buffer {
  return bytesOf((writer) => {
    writer.i64(1n);
    writer.i32(0);
    writer.i32(1);
    writer.bool(true);
    writer.i32(1);
    writer.i32(77);
    writer.i32(1);
    writer.i32(1);
    writer.i32(2);
    writer.i32(1);
    writer.u8(10);
    writer.raw(Buffer.alloc(16, 9));
    writer.i32(3);
    for (const partition of [0, 1, 2]) writer.i32(partition);
    writer.bool(true);
  });
}
