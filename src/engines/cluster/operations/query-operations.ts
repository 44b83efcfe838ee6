/** Operations that open cursors and read their pages (docs/spec/ignite-wire.md 4). */
import type { Entry } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import { decodeValue } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import { writeNamed } from '../binary/objects.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { FEATURE } from '../protocol/features.ts';
import { readString, writeString } from '../protocol/strings.ts';
import { CODE } from '../protocol/type-codes.ts';
import { writeCacheHeader } from './entry-operations.ts';
import { type Operation, type RetryRule, readMany, type Session, writeMany } from './operation.ts';

/** The first page of a cursor. The node has closed the cursor if `more` is false. */
export interface FirstPage<T> {
  readonly cursorId: number;
  readonly rows: readonly T[];
  readonly more: boolean;
}

export interface NextPage<T> {
  readonly rows: readonly T[];
  readonly more: boolean;
}

function readEntries(reader: ByteReader, session: Session): Entry[] {
  return readMany(reader, 2, () => ({
    key: decodeValue(reader, session.context),
    value: decodeValue(reader, session.context),
  }));
}

function readFirstEntries(reader: ByteReader, session: Session): FirstPage<Entry> {
  return { cursorId: reader.i64Number(), rows: readEntries(reader, session), more: reader.bool() };
}

function readNextEntries(reader: ByteReader, session: Session): NextPage<Entry> {
  return { rows: readEntries(reader, session), more: reader.bool() };
}

function nextPage(name: string, code: number): Operation<number, NextPage<Entry>> {
  return {
    name,
    code,
    retry: 'read',
    write: (writer, cursorId) => writer.i64Number(cursorId),
    read: readNextEntries,
  };
}

export interface ScanArgs {
  readonly cacheId: number;
  readonly pageSize: number;
  /** Java class of the predicate that the nodes run. */
  readonly filterClass: string | undefined;
  /** Whether the filter gets objects in binary form instead of instances of their classes. */
  readonly keepBinary: boolean;
  /** The only partition to scan; all if undefined. */
  readonly partition?: number | undefined;
}

const ALL_PARTITIONS = -1;
/** Platform of a scan's filter: Java. */
const FILTER_JAVA = 1;
/** Kind of a statement: any. */
const STATEMENT_ANY = 0;

interface StatementArgs {
  readonly sql: string;
  readonly args: readonly Value[];
  readonly pageSize: number;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  readonly distributedJoins: boolean;
}

export interface TypeQueryArgs extends StatementArgs {
  readonly cacheId: number;
  readonly typeName: string;
}

export interface FieldsQueryArgs extends StatementArgs {
  readonly schema: string;
}

export interface FieldsPage extends FirstPage<readonly Value[]> {
  readonly names: readonly string[];
}

export const QUERY = {
  scan: {
    name: 'scan',
    code: 2000,
    retry: 'read',
    write(writer, args) {
      writeCacheHeader(writer, args, args.keepBinary);
      if (args.filterClass === undefined) {
        writer.u8(CODE.NULL);
      } else {
        // The nodes create the instance from the class name.
        writeNamed(writer, args.filterClass, [], () => {});
        writer.u8(FILTER_JAVA);
      }
      writer.i32(args.pageSize);
      writer.i32(args.partition ?? ALL_PARTITIONS);
      writer.bool(false);
    },
    read: readFirstEntries,
  } satisfies Operation<ScanArgs, FirstPage<Entry>>,
  scanNext: nextPage('scanPage', 2001),
  typeQuery: {
    name: 'typeQuery',
    code: 2002,
    retry: 'read',
    write(writer, args, session) {
      writeCacheHeader(writer, args);
      writeString(writer, args.typeName);
      writeString(writer, args.sql);
      writeMany(writer, args.args, (value) => encodeValue(writer, value, session.context));
      writer.bool(args.distributedJoins);
      writer.bool(false);
      writer.bool(false);
      writer.i32(args.pageSize);
      writer.i64Number(args.timeoutMs);
    },
    read: readFirstEntries,
  } satisfies Operation<TypeQueryArgs, FirstPage<Entry>>,
  typeQueryNext: nextPage('typeQueryPage', 2003),
  /** A statement that may change something. */
  statement: fieldsQuery('once'),
  /** A read-only statement. */
  select: fieldsQuery('read'),
};

function fieldsQuery(retry: RetryRule): Operation<FieldsQueryArgs, FieldsPage> {
  return {
    name: 'fieldsQuery',
    code: 2004,
    retry,
    write: writeFieldsQuery,
    read(reader, session) {
      const cursorId = reader.i64Number();
      const names = readMany(reader, 1, () => readString(reader) ?? '');
      return { cursorId, names, rows: readRows(reader, session, names.length), more: reader.bool() };
    },
  };
}

/** Returns the operation that reads the next page of a statement whose rows have `columnCount` columns. */
export function fieldsNextPage(columnCount: number): Operation<number, NextPage<readonly Value[]>> {
  return {
    name: 'fieldsPage',
    code: 2005,
    retry: 'read',
    write: (writer, cursorId) => writer.i64Number(cursorId),
    read: (reader, session) => ({ rows: readRows(reader, session, columnCount), more: reader.bool() }),
  };
}

function readRows(reader: ByteReader, session: Session, columnCount: number): Value[][] {
  // A row without columns has no bytes, so it counts as one byte; otherwise any number of rows would be accepted.
  return readMany(reader, Math.max(1, columnCount), () => {
    const row: Value[] = [];
    for (let column = 0; column < columnCount; column++) row.push(decodeValue(reader, session.context));
    return row;
  });
}

function writeFieldsQuery(writer: ByteWriter, args: FieldsQueryArgs, session: Session): void {
  writeCacheHeader(writer, { cacheId: 0 });
  writeString(writer, args.schema);
  writer.i32(args.pageSize);
  writer.i32(-1);
  writeString(writer, args.sql);
  writeMany(writer, args.args, (value) => encodeValue(writer, value, session.context));
  writer.u8(STATEMENT_ANY);
  writer.bool(args.distributedJoins);
  // Flags: local, replicated caches only, enforced join order, collocated.
  for (let flags = 4; flags > 0; flags--) writer.bool(false);
  writer.bool(true);
  writer.i64Number(args.timeoutMs);
  writer.bool(true);
  if (!session.features.has(FEATURE.QUERY_PARTITIONS)) return;
  writer.i32(-1);
  writer.i32(1);
}
