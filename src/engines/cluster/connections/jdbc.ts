/**
 * A connection of the JDBC dialect on the same port: statements with the metadata of their columns, and their
 * cancellation (docs/spec/ignite-wire.md 4). It carries one request at a time, since responses have no ids.
 */
import type { Socket } from 'node:net';
import type { Endpoint } from '../../../base/endpoints.ts';
import { gridError } from '../../../base/errors.ts';
import { createMutex } from '../../../base/maybe-promise.ts';
import type { Column } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import { type BinaryContext, DAY_MS } from '../binary/context.ts';
import { daysOf, decodeValue } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import { readMany, writeMany } from '../operations/operation.ts';
import { oversizedReason, readWithTypes, unreadableResponse } from '../operations/responses.ts';
import { ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { FrameCutter } from '../protocol/frames.ts';
import { AUTHENTICATION_FAILED } from '../protocol/handshake.ts';
import { NodeError } from '../protocol/status.ts';
import { readString, writeString } from '../protocol/strings.ts';
import { CODE } from '../protocol/type-codes.ts';
import { type ConnectionSettings, exchangeFirst, openSocket, receiveFrames } from './sockets.ts';

const REQUEST = { EXECUTE: 2, FETCH: 3, CLOSE: 4, METADATA: 5, CANCEL: 15 } as const;
/** Protocol codes, not limits: the kind of a result, of the request and of the client. */
const RESULT_ROWS = 2;
const HANDSHAKE = 1;
const JDBC_CLIENT = 1;
/** Columns may hold objects of custom types. */
const FEATURE_CUSTOM_OBJECTS = 4;
/** The node scans data pages as configured. */
const DATA_PAGE_SCAN_DEFAULT = 2;

export interface JdbcRows {
  readonly rows: ReadonlyArray<readonly Value[]>;
  readonly more: boolean;
}

export interface JdbcResult extends JdbcRows {
  readonly cursorId: number;
}

export interface JdbcStatement {
  readonly schema: string;
  readonly sql: string;
  readonly args: readonly Value[];
  readonly pageSize: number;
  /** 0 for no limit. */
  readonly maxRows: number;
}

interface Waiter {
  accept(reader: ByteReader): void;
  fail(error: unknown): void;
}

export class JdbcConnection {
  readonly nodeEndpoint: Endpoint;
  /** Number of open cursors on the connection. */
  cursors = 0;
  onClose: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #context: BinaryContext;
  readonly #exclusively = createMutex();
  #waiter: Waiter | undefined;
  #nextId = 1;
  #runningId = 0;
  #queued = 0;
  #closedReason: string | undefined;

  /** Use {@link openJdbc}. */
  constructor(socket: Socket, endpoint: Endpoint, context: BinaryContext, maxFrameBytes: number) {
    this.#socket = socket;
    this.nodeEndpoint = endpoint;
    this.#context = context;
    const frames = new FrameCutter(
      (reader) => this.#receive(reader),
      maxFrameBytes,
      (_head, length) =>
        this.#takeWaiter().fail(gridError('CLUSTER_ANSWER_INVALID', oversizedReason(length, maxFrameBytes))),
    );
    receiveFrames(socket, frames, (reason) => this.close(reason));
  }

  get isOpen(): boolean {
    return this.#closedReason === undefined;
  }

  /** Whether a request is running or waiting. */
  get isBusy(): boolean {
    return this.#queued > 0;
  }

  /** Runs a statement that returns rows. Throws NodeError, and CLUSTER_UNREACHABLE if the connection is lost. */
  execute(statement: JdbcStatement): Promise<JdbcResult> {
    return this.#exchange(
      REQUEST.EXECUTE,
      (writer) => {
        writeString(writer, statement.schema);
        writer.i32(statement.pageSize);
        writer.i32(statement.maxRows);
        writeString(writer, statement.sql);
        writeMany(writer, statement.args, (value) => encodeArgument(writer, value, this.#context));
        writer.bool(true);
        writer.u8(0);
        writer.bool(false);
      },
      (reader) => {
        const hasResult = reader.bool();
        if (!hasResult || reader.u8() !== RESULT_ROWS) throw new NodeError(1, 'The statement returns no rows.');
        const cursorId = reader.i64Number();
        if (!reader.bool()) return { cursorId, rows: [], more: false };
        return { cursorId, ...readJdbcRows(reader, this.#context) };
      },
    );
  }

  fetch(cursorId: number, pageSize: number): Promise<JdbcRows> {
    return this.#exchange(
      REQUEST.FETCH,
      (writer) => {
        writer.i64Number(cursorId);
        writer.i32(pageSize);
      },
      (reader) => {
        reader.bool();
        reader.u8();
        return readJdbcRows(reader, this.#context);
      },
    );
  }

  /** Returns the columns of a cursor, even directly after its last page. */
  metadata(cursorId: number): Promise<Column[]> {
    return this.#exchange(
      REQUEST.METADATA,
      (writer) => writer.i64Number(cursorId),
      (reader) => {
        reader.bool();
        reader.u8();
        return readJdbcMetadata(reader);
      },
    );
  }

  /** Tells the node to close a cursor, without waiting for it. */
  closeCursor(cursorId: number): void {
    this.#exchange(
      REQUEST.CLOSE,
      (writer) => writer.i64Number(cursorId),
      () => undefined,
    ).catch(() => {
      // The connection is closed, and its cursors with it.
    });
  }

  /** Cancels the running request; the node ends it with an error. */
  cancel(): void {
    if (!this.isOpen || this.#runningId === 0) return;
    const writer = new ByteWriter(64);
    writer.i32(0);
    writer.u8(REQUEST.CANCEL);
    writer.i64Number(this.#nextId++);
    writer.i64Number(this.#runningId);
    writer.setI32(0, writer.length - 4);
    this.#socket.write(writer.view());
  }

  close(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    this.#socket.destroy();
    this.#waiter?.fail(gridError('CLUSTER_UNREACHABLE', reason));
    this.#waiter = undefined;
    this.onClose?.();
  }

  #exchange<T>(type: number, write: (writer: ByteWriter) => void, read: (reader: ByteReader) => T): Promise<T> {
    this.#queued++;
    return this.#exclusively(() => this.#request(type, write, read)).finally(() => {
      this.#queued--;
    });
  }

  async #request<T>(type: number, write: (writer: ByteWriter) => void, read: (reader: ByteReader) => T): Promise<T> {
    if (this.#closedReason !== undefined) throw gridError('CLUSTER_UNREACHABLE', this.#closedReason);
    const writer = new ByteWriter(1024);
    const id = this.#nextId++;
    writer.i32(0);
    writer.u8(type);
    writer.i64Number(id);
    write(writer);
    writer.setI32(0, writer.length - 4);
    const { promise, resolve, reject } = Promise.withResolvers<ByteReader>();
    this.#waiter = { accept: resolve, fail: reject };
    this.#runningId = id;
    this.#socket.write(writer.view());
    const reader = await promise.finally(() => {
      this.#runningId = 0;
    });
    try {
      const status = reader.i32();
      if (status !== 0) throw new NodeError(status, readString(reader) ?? '');
      return await readWithTypes(reader, this.#context.types, read);
    } catch (error) {
      throw unreadableResponse(error);
    }
  }

  #receive(reader: ByteReader): void {
    this.#takeWaiter().accept(new ByteReader(Buffer.from(reader.raw(reader.remaining))));
  }

  /** Throws MalformedMessage for an unexpected response, which would be mistaken for the next one: it has no id. */
  #takeWaiter(): Waiter {
    const waiter = this.#waiter;
    if (!waiter) throw new MalformedMessage('a response without a request');
    this.#waiter = undefined;
    return waiter;
  }
}

/** Reads a page: whether it is the last, then the rows, each preceded by its number of columns. */
export function readJdbcRows(reader: ByteReader, context: BinaryContext): JdbcRows {
  const last = reader.bool();
  const rows = readMany(reader, 4, () => readMany(reader, 1, () => decodeValue(reader, context)));
  return { rows, more: !last };
}

/** Reads the columns of a cursor. */
export function readJdbcMetadata(reader: ByteReader): Column[] {
  return readMany(reader, 9, () => {
    const schemaName = readString(reader) ?? '';
    const typeName = readString(reader) ?? '';
    const fieldName = readString(reader) ?? '';
    reader.i32();
    readString(reader);
    return { schemaName, typeName, fieldName, fieldTypeName: readString(reader) ?? 'java.lang.Object' };
  });
}

/** The dialect transfers dates as plain instants. */
function encodeArgument(writer: ByteWriter, value: Value, context: BinaryContext): void {
  if (value.type === 'date') {
    encodeValue(writer, { type: 'instant', data: context.zone.toInstant(value.data * DAY_MS) }, context);
  } else {
    encodeValue(writer, value, context);
  }
}

/** Converts a value to the class of its column. Values of date columns arrive as instants. */
export function columnValue(value: Value, column: Column, context: BinaryContext): Value {
  if (value.type !== 'instant' || column.fieldTypeName !== 'java.sql.Date') return value;
  return { type: 'date', data: daysOf(value.data, context) };
}

/** Opens a connection of the JDBC dialect. Rejects with CREDENTIALS_WRONG and CLUSTER_UNREACHABLE. */
export async function openJdbc(
  endpoint: Endpoint,
  settings: ConnectionSettings,
  context: BinaryContext,
  distributedJoins: boolean,
): Promise<JdbcConnection> {
  const socket = await openSocket(endpoint, settings);
  const writer = new ByteWriter(256);
  writer.i32(0);
  writer.u8(HANDSHAKE);
  for (const part of [2, 9, 0]) writer.i16(part);
  writer.u8(JDBC_CLIENT);
  // Flags: distributed joins, enforced join order, collocated, replicated caches only, auto-close cursors, lazy, skip
  // reducer.
  for (const flag of [distributedJoins, false, false, false, false, true, false]) writer.bool(flag);
  writeString(writer, undefined);
  writer.u8(DATA_PAGE_SCAN_DEFAULT);
  writer.bool(false);
  writer.u8(CODE.NULL);
  writer.u8(CODE.BYTE_ARRAY);
  writer.i32(1);
  writer.u8(FEATURE_CUSTOM_OBJECTS);
  if (settings.credentials) {
    writeString(writer, settings.credentials.user);
    writeString(writer, settings.credentials.password);
  }
  writer.setI32(0, writer.length - 4);
  const response = await exchangeFirst(socket, endpoint, writer.view(), settings, readJdbcHandshake);
  if (response === 'accepted') return new JdbcConnection(socket, endpoint, context, settings.maxFrameBytes);
  socket.destroy();
  const { message, code } = response;
  if (code === AUTHENTICATION_FAILED) throw gridError('CREDENTIALS_WRONG', settings.credentials?.user ?? null);
  throw gridError('CLUSTER_UNREACHABLE', `${endpoint.host}:${endpoint.port}: ${message}`);
}

/** Reads the response to a handshake. */
export function readJdbcHandshake(
  reader: ByteReader,
): 'accepted' | { readonly message: string; readonly code: number } {
  if (reader.bool()) return 'accepted';
  reader.raw(6);
  const message = readString(reader) ?? '';
  return { message, code: reader.remaining >= 4 ? reader.i32() : 1 };
}
