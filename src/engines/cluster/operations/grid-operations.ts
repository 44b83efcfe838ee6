/** Operations on caches, counters, types, nodes and the state of the cluster (docs/spec/ignite-wire.md 3, 5 and 6). */
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import type { ClusterState } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import { decodeValue } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import type { BinaryType, NameMapper } from '../binary/type-metadata.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { FEATURE } from '../protocol/features.ts';
import { readString, writeString } from '../protocol/strings.ts';
import { decodeUuidRaw, encodeUuidRaw } from '../protocol/uuids.ts';
import { type CacheCreation, type RemoteCache, readConfiguration, writeCreation } from './cache-configuration.ts';
import { writeCacheHeader } from './entry-operations.ts';
import { nothing, type Operation, readMany, type Session, writeMany } from './operation.ts';

const STATES: readonly ClusterState[] = ['INACTIVE', 'ACTIVE', 'ACTIVE_READ_ONLY'];

export const CACHE = {
  names: {
    name: 'cacheNames',
    code: 1050,
    retry: 'read',
    write: nothing,
    read: (reader) => readMany(reader, 1, () => readString(reader) ?? ''),
  } satisfies Operation<undefined, string[]>,
  getOrCreate: {
    name: 'getOrCreateCache',
    code: 1054,
    retry: 'idempotent',
    write: (writer, args, { context }) => writeCreation(writer, args, context),
    read: nothing,
  } satisfies Operation<CacheCreation, void>,
  configuration: {
    name: 'cacheConfiguration',
    code: 1055,
    retry: 'read',
    write: (writer, cacheId) => writeCacheHeader(writer, { cacheId }),
    read: (reader, session) => readConfiguration(reader, session.context),
  } satisfies Operation<number, RemoteCache>,
  destroy: {
    name: 'destroyCache',
    code: 1056,
    retry: 'idempotent',
    write: (writer, cacheId) => writer.i32(cacheId),
    read: nothing,
  } satisfies Operation<number, void>,
};

export interface CounterArgs {
  readonly name: string;
  readonly value: bigint;
}

export const COUNTER = {
  create: {
    name: 'createCounter',
    code: 9000,
    retry: 'idempotent',
    write(writer, args) {
      writeString(writer, args.name);
      writer.i64(args.value);
      writer.bool(false);
    },
    read: nothing,
  } satisfies Operation<CounterArgs, void>,
  get: {
    name: 'getCounter',
    code: 9003,
    retry: 'read',
    write(writer, name) {
      writeString(writer, name);
      writeString(writer, undefined);
    },
    read: (reader) => reader.i64(),
  } satisfies Operation<string, bigint>,
  addAndGet: {
    name: 'addToCounter',
    code: 9004,
    retry: 'once',
    write(writer, args) {
      writeString(writer, args.name);
      writeString(writer, undefined);
      writer.i64(args.value);
    },
    read: (reader) => reader.i64(),
  } satisfies Operation<CounterArgs, bigint>,
};

/** Platform of class names: Java. */
const PLATFORM_JAVA = 0;

export const TYPE = {
  fetch: {
    name: 'fetchType',
    code: 3002,
    retry: 'read',
    write: (writer, typeId) => writer.i32(typeId),
    read: (reader) => (reader.bool() ? readType(reader) : undefined),
  } satisfies Operation<number, BinaryType | undefined>,
  store: {
    name: 'storeType',
    code: 3003,
    retry: 'idempotent',
    write(writer, type) {
      writer.i32(type.typeId);
      writeString(writer, type.name);
      writeString(writer, type.affinityField);
      writeMany(writer, type.fields, (field) => {
        writeString(writer, field.name);
        writer.i32(field.typeCode);
        writer.i32(field.id);
      });
      writer.bool(type.isEnum);
      if (type.isEnum) {
        writeMany(writer, [...type.enumNames], ([ordinal, name]) => {
          writeString(writer, name);
          writer.i32(ordinal);
        });
      }
      writeMany(writer, [...type.schemas], ([schemaId, fieldIds]) => {
        writer.i32(schemaId);
        writeMany(writer, fieldIds, (id) => writer.i32(id));
      });
    },
    read: nothing,
  } satisfies Operation<BinaryType, void>,
  registerName: {
    name: 'registerTypeName',
    code: 3001,
    retry: 'idempotent',
    write(writer, args) {
      writer.u8(PLATFORM_JAVA);
      writer.i32(args.typeId);
      writeString(writer, args.name);
    },
    read: (reader) => reader.bool(),
  } satisfies Operation<{ readonly typeId: number; readonly name: string }, boolean>,
  configuration: {
    name: 'binaryConfiguration',
    code: 3004,
    retry: 'read',
    write: nothing,
    read: (reader) => ({ compactFooter: reader.bool(), mapper: reader.u8() === 1 ? 'simple' : 'full' }),
  } satisfies Operation<undefined, { readonly compactFooter: boolean; readonly mapper: NameMapper }>,
};

function readType(reader: ByteReader): BinaryType {
  const typeId = reader.i32();
  const name = readString(reader) ?? '';
  const affinityField = readString(reader);
  const fields = readMany(reader, 9, () => ({
    name: readString(reader) ?? '',
    typeCode: reader.i32(),
    id: reader.i32(),
  }));
  const isEnum = reader.bool();
  const enumNames = new Map<number, string>();
  if (isEnum) {
    readMany(reader, 5, () => {
      const constant = readString(reader) ?? '';
      enumNames.set(reader.i32(), constant);
    });
  }
  const schemas = new Map(readMany(reader, 8, () => [reader.i32(), readMany(reader, 4, () => reader.i32())] as const));
  return { typeId, name, affinityField, fields, isEnum, enumNames, schemas };
}

export interface RemoteNode {
  readonly id: string;
  readonly attributes: ReadonlyMap<string, Value>;
  readonly addresses: readonly string[];
  readonly hostNames: readonly string[];
  readonly order: number;
  readonly isClient: boolean;
  readonly consistentId: string;
  readonly version: string;
}

export interface NodeEndpoint {
  readonly id: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

export const CLUSTER = {
  state: {
    name: 'clusterState',
    code: 5000,
    retry: 'read',
    write: nothing,
    read: (reader, session) =>
      session.features.has(FEATURE.CLUSTER_STATES)
        ? (STATES[reader.u8()] ?? 'ACTIVE')
        : reader.bool()
          ? 'ACTIVE'
          : 'INACTIVE',
  } satisfies Operation<undefined, ClusterState>,
  setState: {
    name: 'changeClusterState',
    code: 5001,
    retry: 'idempotent',
    write(writer, args, session) {
      writer.u8(STATES.indexOf(args.state));
      if (session.features.has(FEATURE.FORCE_DEACTIVATION)) writer.bool(args.force);
    },
    read: nothing,
  } satisfies Operation<{ readonly state: ClusterState; readonly force: boolean }, void>,
  /** Returns the ids of all nodes, including client nodes. */
  nodeIds: {
    name: 'nodeIds',
    code: 5100,
    retry: 'read',
    write(writer) {
      writer.i64(-1n);
      writer.i32(0);
    },
    read(reader) {
      if (!reader.bool()) return { topologyVersion: 0, ids: [] };
      return { topologyVersion: reader.i64Number(), ids: readNodes(reader, 16, () => decodeUuidRaw(reader)) };
    },
  } satisfies Operation<undefined, { readonly topologyVersion: number; readonly ids: string[] }>,
  nodes: {
    name: 'nodeDetails',
    code: 5101,
    retry: 'read',
    write: (writer, ids) => writeMany(writer, ids, (id) => encodeUuidRaw(writer, id)),
    read: (reader, session) => readMany(reader, 32, () => readNode(reader, session)),
  } satisfies Operation<readonly string[], RemoteNode[]>,
  endpoints: {
    name: 'nodeEndpoints',
    code: 5102,
    retry: 'read',
    write(writer) {
      writer.i64(-1n);
      writer.i64(-1n);
    },
    read(reader) {
      reader.i64();
      return readNodes(reader, 24, () => ({
        id: decodeUuidRaw(reader),
        port: reader.i32(),
        addresses: readMany(reader, 1, () => readString(reader) ?? ''),
      }));
    },
  } satisfies Operation<undefined, NodeEndpoint[]>,
};

/** Reads one item for each node. Throws MalformedMessage if there are more nodes than a cluster can have. */
function readNodes<T>(reader: ByteReader, minBytes: number, readOne: () => T): T[] {
  if (reader.i32At(reader.position) > WIRE_BOUNDS.nodes)
    throw new MalformedMessage(`a cluster of more than ${WIRE_BOUNDS.nodes} nodes`);
  return readMany(reader, minBytes, readOne);
}

function readNode(reader: ByteReader, session: Session): RemoteNode {
  reader.u8();
  const id = decodeUuidRaw(reader);
  const attributes = new Map(
    readMany(reader, 2, () => [readString(reader) ?? '', decodeValue(reader, session.context)] as const),
  );
  const addresses = textsOf(decodeValue(reader, session.context));
  const hostNames = textsOf(decodeValue(reader, session.context));
  const order = reader.i64Number();
  reader.bool();
  reader.bool();
  const isClient = reader.bool();
  const consistentId = textOf(decodeValue(reader, session.context));
  const version = `${reader.u8()}.${reader.u8()}.${reader.u8()}`;
  readString(reader);
  reader.i64();
  // The node's description ends with the hash of its build.
  if (reader.u8() === 12) reader.raw(reader.i32());
  return { id, attributes, addresses, hostNames, order, isClient, consistentId, version };
}

function textsOf(value: Value): string[] {
  return value.type === 'list' || value.type === 'array' ? value.data.map(textOf) : [];
}

function textOf(value: Value): string {
  return value.type === 'string' || value.type === 'uuid' || value.type === 'gridUuid' ? value.data : '';
}

/** Partitions of caches that share one mapping. */
export interface AffinityGroup {
  /** False if the cache is replicated and therefore not partitioned by key. */
  readonly applicable: boolean;
  readonly caches: ReadonlyArray<{
    readonly cacheId: number;
    /** Id of the field that determines the partition, by the key's type id. */
    readonly affinityFields: ReadonlyMap<number, number>;
  }>;
  /** Node of each partition; empty if the cluster maps keys by a custom function. */
  readonly owners: readonly string[];
}

export const AFFINITY = {
  partitions: {
    name: 'cachePartitions',
    code: 1101,
    retry: 'read',
    write(writer, cacheIds, session) {
      if (session.features.has(FEATURE.ALL_AFFINITY_MAPPINGS)) writer.bool(false);
      writeMany(writer, cacheIds, (cacheId) => writer.i32(cacheId));
    },
    read(reader, session) {
      const topologyVersion = reader.i64Number();
      const minorVersion = reader.i32();
      const groups = readMany(reader, 5, () => readAffinityGroup(reader, session));
      return { topologyVersion, minorVersion, groups };
    },
  } satisfies Operation<
    readonly number[],
    { readonly topologyVersion: number; readonly minorVersion: number; readonly groups: AffinityGroup[] }
  >,
};

function readAffinityGroup(reader: ByteReader, session: Session): AffinityGroup {
  const applicable = reader.bool();
  const caches = readMany(reader, 4, () => ({
    cacheId: reader.i32(),
    affinityFields: applicable
      ? new Map(readMany(reader, 8, () => [reader.i32(), reader.i32()] as const))
      : new Map<number, number>(),
  }));
  const owners: string[] = [];
  if (!applicable) return { applicable, caches, owners };
  readMany(reader, 21, () => {
    reader.u8();
    const node = decodeUuidRaw(reader);
    readMany(reader, 4, () => {
      const partition = reader.i32();
      if (partition < 0 || partition >= WIRE_BOUNDS.partitions) {
        throw new MalformedMessage(`there is no partition ${partition}`);
      }
      owners[partition] = node;
    });
  });
  const hasCustomFunction = session.features.has(FEATURE.ALL_AFFINITY_MAPPINGS) && !reader.bool();
  return { applicable, caches, owners: hasCustomFunction ? [] : owners };
}

/** Closes a cursor or cancels a task. */
export const RESOURCE = {
  close: {
    name: 'closeResource',
    code: 0,
    retry: 'once',
    write: (writer, id) => writer.i64Number(id),
    read: nothing,
  } satisfies Operation<number, void>,
};

export interface TaskArgs {
  readonly name: string;
  readonly argument: Value;
  /** 0 for no limit. */
  readonly timeoutMs: number;
}

export const TASK = {
  /** Starts a task on the servers and returns its id. The result arrives as a notification. */
  execute: {
    name: 'executeTask',
    code: 6000,
    retry: 'once',
    write(writer, args, session) {
      writer.i32(0);
      writer.u8(0);
      writer.i64Number(args.timeoutMs);
      writeString(writer, args.name);
      encodeValue(writer, args.argument, session.context);
    },
    read: (reader) => reader.i64Number(),
  } satisfies Operation<TaskArgs, number>,
};
