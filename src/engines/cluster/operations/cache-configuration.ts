/** Codec of a cache's configuration (docs/spec/ignite-wire.md 3). */
import type { Value } from '../../../values/value.ts';
import type { BinaryContext } from '../binary/context.ts';
import { decodeValue } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { readString, writeString } from '../protocol/strings.ts';
import { type Expiry, readExpiry, writeExpiry } from './expiry.ts';
import { readMany, writeMany } from './operation.ts';

export const MODE = { REPLICATED: 1, PARTITIONED: 2 } as const;
export const ATOMICITY = { TRANSACTIONAL: 0, ATOMIC: 1 } as const;
export const WRITE_MODES = ['FULL_SYNC', 'FULL_ASYNC', 'PRIMARY_SYNC'] as const;

/** A column of a query entity, with its Java class. */
export interface RemoteField {
  readonly name: string;
  readonly javaType: string;
  readonly isKey: boolean;
  readonly notNull: boolean;
  readonly defaultValue: Value;
  /** -1 if the column has none. */
  readonly precision: number;
  readonly scale: number;
}

export interface RemoteIndex {
  readonly name: string | undefined;
  readonly type: number;
  readonly inlineSize: number;
  readonly fields: ReadonlyArray<{ readonly name: string; readonly descending: boolean }>;
}

export interface RemoteEntity {
  readonly keyType: string;
  readonly valueType: string;
  readonly tableName: string | undefined;
  readonly keyField: string | undefined;
  readonly valueField: string | undefined;
  readonly fields: readonly RemoteField[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly indexes: readonly RemoteIndex[];
}

/** The part of a cache's configuration that the engine reads. */
export interface RemoteCache {
  readonly name: string;
  readonly atomicity: number;
  readonly backups: number;
  readonly mode: number;
  readonly region: string | undefined;
  readonly statistics: boolean;
  readonly group: string | undefined;
  readonly sqlSchema: string | undefined;
  readonly writeMode: number;
  /** Field of a key type that determines the partition. */
  readonly keyConfiguration: ReadonlyArray<{ readonly typeName: string; readonly affinityField: string }>;
  readonly entities: readonly RemoteEntity[];
  /** undefined if the cache has none, or one that clients cannot know. */
  readonly expiry: Expiry | undefined;
}

/** The part of a cache's configuration that concerns types. */
export type TypeRules = Pick<RemoteCache, 'entities' | 'keyConfiguration'>;

/** Configuration of a new cache. The cluster's defaults apply to omitted members. */
export interface CacheCreation {
  readonly name: string;
  readonly mode: number;
  readonly backups: number;
  readonly atomicity: number;
  readonly writeMode: number;
  readonly region: string | undefined;
  readonly group: string | undefined;
  readonly sqlSchema: string | undefined;
  readonly statistics: boolean;
  readonly entities: readonly RemoteEntity[];
  readonly expiry: Expiry | undefined;
}

/** Returns the configuration of a cache that the service uses internally, with the cluster's defaults. */
export function ownCache(name: string, mode: number): CacheCreation {
  return {
    name,
    mode,
    backups: 0,
    atomicity: ATOMICITY.ATOMIC,
    writeMode: 0,
    region: undefined,
    group: undefined,
    sqlSchema: undefined,
    statistics: false,
    entities: [],
    expiry: undefined,
  };
}

const PROPERTY = {
  NAME: 0,
  MODE: 1,
  ATOMICITY: 2,
  BACKUPS: 3,
  WRITE_MODE: 4,
  REGION: 100,
  ENTITIES: 200,
  SCHEMA: 203,
  GROUP: 400,
  STATISTICS: 406,
  EXPIRY: 407,
} as const;

export function writeCreation(writer: ByteWriter, creation: CacheCreation, context: BinaryContext): void {
  const start = writer.length;
  writer.i32(0);
  writer.i16(0);
  let count = 0;
  function property(code: number, write: () => void): void {
    count++;
    writer.i16(code);
    write();
  }
  property(PROPERTY.NAME, () => writeString(writer, creation.name));
  property(PROPERTY.MODE, () => writer.i32(creation.mode));
  property(PROPERTY.ATOMICITY, () => writer.i32(creation.atomicity));
  if (creation.mode === MODE.PARTITIONED) property(PROPERTY.BACKUPS, () => writer.i32(creation.backups));
  property(PROPERTY.WRITE_MODE, () => writer.i32(creation.writeMode));
  if (creation.region !== undefined) property(PROPERTY.REGION, () => writeString(writer, creation.region));
  if (creation.group !== undefined) property(PROPERTY.GROUP, () => writeString(writer, creation.group));
  if (creation.statistics) property(PROPERTY.STATISTICS, () => writer.bool(true));
  if (creation.sqlSchema !== undefined) property(PROPERTY.SCHEMA, () => writeString(writer, creation.sqlSchema));
  const { expiry } = creation;
  if (expiry !== undefined) {
    property(PROPERTY.EXPIRY, () => {
      writer.bool(true);
      writeExpiry(writer, expiry);
    });
  }
  if (creation.entities.length > 0) {
    property(PROPERTY.ENTITIES, () => {
      writeMany(writer, creation.entities, (entity) => writeEntity(writer, entity, context));
    });
  }
  writer.setI32(start, writer.length - start - 4);
  writer.setI16(start + 4, count);
}

function writeEntity(writer: ByteWriter, entity: RemoteEntity, context: BinaryContext): void {
  writeString(writer, entity.keyType);
  writeString(writer, entity.valueType);
  writeString(writer, entity.tableName);
  writeString(writer, entity.keyField);
  writeString(writer, entity.valueField);
  writeMany(writer, entity.fields, (field) => {
    writeString(writer, field.name);
    writeString(writer, field.javaType);
    writer.bool(field.isKey);
    writer.bool(field.notNull);
    encodeValue(writer, field.defaultValue, context);
    writer.i32(field.precision);
    writer.i32(field.scale);
  });
  writeMany(writer, [...entity.aliases], ([field, alias]) => {
    writeString(writer, field);
    writeString(writer, alias);
  });
  writeMany(writer, entity.indexes, (index) => {
    writeString(writer, index.name);
    writer.u8(index.type);
    writer.i32(index.inlineSize);
    writeMany(writer, index.fields, (field) => {
      writeString(writer, field.name);
      writer.bool(field.descending);
    });
  });
}

export function readConfiguration(reader: ByteReader, context: BinaryContext): RemoteCache {
  reader.i32();
  const atomicity = reader.i32();
  const backups = reader.i32();
  const mode = reader.i32();
  reader.bool();
  const region = readString(reader);
  reader.bool();
  const statistics = reader.bool();
  const group = readString(reader);
  reader.raw(8 + 4 + 4);
  const name = readString(reader) ?? '';
  reader.bool();
  reader.raw(4 * 3);
  reader.bool();
  reader.raw(4 + 8 + 8 + 4 + 4 + 8 + 8);
  reader.bool();
  reader.i32();
  const sqlSchema = readString(reader);
  const writeMode = reader.i32();
  const keyConfiguration = readMany(reader, 2, () => ({
    typeName: readString(reader) ?? '',
    affinityField: readString(reader) ?? '',
  }));
  const entities = readMany(reader, 17, () => readEntity(reader, context));
  // Nodes before protocol version 1.6 do not send it.
  const expiry = reader.remaining > 0 && reader.bool() ? readExpiry(reader) : undefined;
  return {
    name,
    atomicity,
    backups,
    mode,
    region,
    statistics,
    group,
    sqlSchema,
    writeMode,
    keyConfiguration,
    entities,
    expiry,
  };
}

function readEntity(reader: ByteReader, context: BinaryContext): RemoteEntity {
  return {
    keyType: readString(reader) ?? '',
    valueType: readString(reader) ?? '',
    tableName: readString(reader),
    keyField: readString(reader),
    valueField: readString(reader),
    fields: readMany(reader, 13, () => ({
      name: readString(reader) ?? '',
      javaType: readString(reader) ?? '',
      isKey: reader.bool(),
      notNull: reader.bool(),
      defaultValue: decodeValue(reader, context),
      precision: reader.i32(),
      scale: reader.i32(),
    })),
    aliases: new Map(readMany(reader, 2, () => [readString(reader) ?? '', readString(reader) ?? ''] as const)),
    indexes: readMany(reader, 10, () => ({
      name: readString(reader),
      type: reader.u8(),
      inlineSize: reader.i32(),
      fields: readMany(reader, 2, () => ({ name: readString(reader) ?? '', descending: reader.bool() })),
    })),
  };
}
