/** Reply shapes: how a handler's result becomes the JSON of `response`, and the schema that describes it. */
import type { CacheMetadata, CacheMetrics, Column, Entry, QueryPage, RowFormat } from '../grid/grid.ts';
import { formatIgniteKey } from '../values/ignite-keys.ts';
import { formatText, writeJson, writeText } from '../values/json.ts';
import type { Value } from '../values/value.ts';
import type { Context, TaskOutcome } from './context.ts';

/** A JSON Schema, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { readonly [member: string]: JsonSchemaPart };
type JsonSchemaPart = string | number | boolean | null | JsonSchema | readonly JsonSchemaPart[];

/** Returns the part of an object schema that declares its members. All but the optional ones are required. */
export function members(properties: JsonSchema, optional: readonly string[] = []): JsonSchema {
  return { required: Object.keys(properties).filter((name) => !optional.includes(name)), properties };
}

/** A response of bytes, sent instead of the envelope. */
export class ByteResponse {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The name under which a browser saves the bytes. */
  readonly fileName: string;

  constructor(chunks: AsyncIterable<Uint8Array>, fileName: string) {
    this.chunks = chunks;
    this.fileName = fileName;
  }
}

/** A response of rows alone, sent instead of the envelope. */
export class RowsResponse {
  readonly page: Pick<QueryPage, 'rows' | 'end'>;
  readonly format: Exclude<RowFormat, 'json'>;

  constructor(page: Pick<QueryPage, 'rows' | 'end'>, format: Exclude<RowFormat, 'json'>) {
    this.page = page;
    this.format = format;
  }
}

/** A response of parts that are sent as things happen, instead of the envelope. */
export class LiveResponse {
  readonly parts: AsyncIterable<string>;
  readonly contentType: string;
  /** Ends the stream early, because the service is stopping. */
  readonly stop: () => void;
  /** Returns the last part of a stream that an error ends on its way to the client. */
  readonly ended: (error: unknown) => string;

  constructor(parts: AsyncIterable<string>, contentType: string, stop: () => void, ended: (error: unknown) => string) {
    this.parts = parts;
    this.contentType = contentType;
    this.stop = stop;
    this.ended = ended;
  }
}

/** The JSON text of `response`, its chunks in order, or bytes, rows or parts instead of the envelope. */
export type ResponseBody = string | AsyncIterable<string> | ByteResponse | RowsResponse | LiveResponse;

export interface Reply<R> {
  readonly kind: string;
  readonly summary: string;
  readonly schema: JsonSchema;
  /** Describes `response` after a failure, if it can be an object then; otherwise it is null. */
  readonly failureResponse?: string;
  /** Returns the response of a result. */
  write(result: R, context: Context): ResponseBody;
}

function plain<R>(kind: string, schema: JsonSchema, write: (result: R) => string): (summary: string) => Reply<R> {
  return (summary) => ({ kind, summary, schema, write });
}

export const booleanReply = plain<boolean>('boolean', { type: 'boolean' }, (result) => (result ? 'true' : 'false'));
export const trueReply = plain<void>('boolean', { type: 'boolean', const: true }, () => 'true');
export const nullReply = plain<void>('null', { type: 'null' }, () => 'null');
export const longReply = (summary: string): Reply<bigint | number> => ({
  kind: 'long',
  summary,
  schema: { type: 'integer', format: 'int64' },
  write: writeLong,
});

function writeLong(value: bigint | number, { notation }: Context): string {
  return notation?.numbersAsStrings === true ? `"${value}"` : String(value);
}

export const optionalLongReply = (summary: string): Reply<bigint | null> => ({
  kind: 'long',
  summary,
  schema: { type: ['integer', 'null'], format: 'int64' },
  write: (value, context) => (value === null ? 'null' : writeLong(value, context)),
});
export const stringReply = plain<string>('string', { type: 'string' }, writeText);
export const optionalStringReply = plain<string | null>('string', { type: ['string', 'null'] }, (result) =>
  result === null ? 'null' : writeText(result),
);

/** Returns a value as JSON, after the message interceptor. */
export function writeValue(value: Value, context: Context): string {
  return writeJson(context.onSend === undefined ? value : context.onSend(value));
}

function sent(value: Value, { onSend }: Context): Value {
  return onSend === undefined ? value : onSend(value);
}

/** The reply for a value, or null if there is none. */
export function valueReply(summary: string): Reply<Value | undefined> {
  return {
    kind: 'value',
    summary,
    schema: { description: 'Any JSON value; null if there is none.' },
    write(result, context) {
      return result === undefined ? 'null' : writeValue(result, context);
    },
  };
}

/** Reports whether {@link entriesReply} accepts the JSON of an object whose members are all strings. */
export function acceptsText({ getallAsArray, onSend }: Context): boolean {
  return !getallAsArray && onSend === undefined;
}

/** The reply of getall: an object with the keys as names, or an array of objects with key and value. */
export function entriesReply(summary: string): Reply<string | readonly Entry[]> {
  return {
    kind: 'entries',
    summary,
    schema: {
      type: ['object', 'array'],
      additionalProperties: true,
      items: { type: 'object', ...members({ key: {}, value: {} }) },
    },
    write(result, context) {
      if (typeof result === 'string') return result;
      if (context.getallAsArray) {
        return `[${result
          .map(({ key, value }) => `{"key":${writeValue(key, context)},"value":${writeValue(value, context)}}`)
          .join(',')}]`;
      }
      const members = result.map(({ key, value }) => `${memberName(key, context)}:${writeValue(value, context)}`);
      return `{${members.join(',')}}`;
    },
  };
}

/** Returns a key as a member name in JSON. */
function memberName(key: Value, context: Context): string {
  const name = sent(key, context);
  // Row 13 of docs/differences.md.
  return writeText(context.compatibility === 'reference' ? formatIgniteKey(name) : formatText(name));
}

const INTEGER: JsonSchema = { type: 'integer', format: 'int64' };

/** The reply of cache (docs/spec/contract.md 2.3). */
export function metricsReply(summary: string): Reply<CacheMetrics> {
  const names = ['createTime', 'readTime', 'writeTime', 'hits', 'misses', 'reads', 'writes'] as const;
  return {
    kind: 'metrics',
    summary,
    schema: { type: 'object', ...members(Object.fromEntries(names.map((name) => [name, INTEGER]))) },
    write: (result) => `{${names.map((name) => `"${name}":${result[name]}`).join(',')}}`,
  };
}

/** The reply for a result that JSON.stringify can write. */
export function jsonReply<R>(kind: string, schema: JsonSchema, summary: string): Reply<R> {
  return { kind, summary, schema, write: (result) => JSON.stringify(result) ?? 'null' };
}

const STRINGS: JsonSchema = { type: 'array', items: { type: 'string' } };

/** The reply of metadata (docs/spec/contract.md 2.4): an object, or an array for `*` and with row 18's rules. */
export function metadataReply(summary: string): Reply<CacheMetadata | readonly CacheMetadata[]> {
  const one: JsonSchema = {
    type: 'object',
    ...members(
      {
        cacheName: { type: 'string' },
        types: STRINGS,
        keyClasses: { type: 'object', additionalProperties: { type: 'string' } },
        valClasses: { type: 'object', additionalProperties: { type: 'string' } },
        fields: {
          type: 'object',
          additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
        },
        indexes: {
          type: 'object',
          additionalProperties: {
            type: 'array',
            items: {
              type: 'object',
              ...members({
                name: { type: 'string' },
                fields: STRINGS,
                descendings: STRINGS,
                unique: { type: 'boolean' },
              }),
            },
          },
        },
        unfit: { type: 'object', additionalProperties: INTEGER },
      },
      ['unfit'],
    ),
  };
  return jsonReply('metadata', { ...one, type: ['object', 'array'], items: one }, summary);
}

/** The envelope of one command of a batch (docs/spec/contract.md 2.1). */
const BATCH_RESULT: JsonSchema = {
  type: 'object',
  ...members(
    {
      successStatus: INTEGER,
      affinityNodeId: { type: ['string', 'null'] },
      sessionToken: { type: 'null' },
      securitySubjectId: { type: ['string', 'null'] },
      error: {
        type: ['object', 'null'],
        description: 'A string, with the code in `errorCode`, if the request asks for `errors=text`.',
        ...members(
          {
            code: { type: 'string' },
            message: { type: 'string' },
            parameter: { type: 'string' },
            position: INTEGER,
            remedy: { type: 'string' },
            documentation: { type: 'string' },
          },
          ['parameter', 'position'],
        ),
      },
      errorCode: { type: 'string' },
      response: {},
      responseOmitted: {
        type: 'boolean',
        const: true,
        description: 'Present if the command took effect, but its response could not be returned; `response` is null.',
      },
    },
    ['affinityNodeId', 'errorCode', 'responseOmitted'],
  ),
};

/** The reply of batch: the JSON of the results, each in an envelope. */
export function batchReply(summary: string): Reply<string> {
  return {
    kind: 'batch',
    summary,
    schema: { type: 'array', items: BATCH_RESULT },
    failureResponse:
      'If an atomic batch fails, an object with the number of the command that failed, from 1 (`command`), and its ' +
      'name (`cmd`). Null after any other failure.',
    write: (result) => result,
  };
}

/** The reply of exe and res (docs/spec/contract.md 2.4a). */
export function taskReply(summary: string): Reply<TaskOutcome> {
  return {
    kind: 'task',
    summary,
    schema: {
      type: 'object',
      ...members({
        id: { type: 'string' },
        finished: { type: 'boolean' },
        error: { type: ['string', 'null'] },
        result: {},
      }),
    },
    write(result, context) {
      // Row 21 of docs/differences.md.
      const error = context.compatibility === 'reference' ? 'null' : '""';
      return `{"id":${writeText(result.id)},"finished":${result.finished},"error":${error},"result":${writeValue(result.result, context)}}`;
    },
  };
}

/** A page's kind determines its `fieldsMetadata`: the columns on a first page, `[]` (or null) on later ones. */
export type PageKind = 'fields' | 'type' | 'scan' | 'fetch';

/** A page that also reports its row count and, if set, the time since `startMs` (monotonic clock). */
export interface TimedPage extends QueryPage {
  readonly startMs?: number;
}

/** The reply of queries (docs/spec/contract.md 2.6); only the rows as NDJSON or CSV. */
export function pageReply(kind: PageKind, summary: string): Reply<TimedPage> {
  const column: JsonSchema = {
    type: 'object',
    ...members(
      Object.fromEntries(
        ['fieldName', 'fieldTypeName', 'schemaName', 'typeName'].map((name) => [name, { type: ['string', 'null'] }]),
      ),
    ),
  };
  return {
    kind: 'page',
    summary,
    schema: {
      type: 'object',
      required: ['items', 'fieldsMetadata', 'last', 'queryId'],
      properties: {
        items: { type: 'array', items: {} },
        fieldsMetadata: { type: ['array', 'null'], items: column },
        last: { type: 'boolean' },
        queryId: INTEGER,
        ...(kind === 'fields' && {
          rowCount: { ...INTEGER, description: 'Number of rows of this page, if `statistics=true`.' },
          timeMs: {
            type: 'number',
            description: 'Time from the start of the statement to the end of this page in ms, if `statistics=true`.',
          },
        }),
      },
    },
    write(page, context) {
      if (context.rowFormat !== 'json') return new RowsResponse(page, context.rowFormat);
      const { rows, queryId } = page;
      if (typeof rows === 'string')
        return `${pageHead(kind, page, context)}${queryId},"items":[${rows}${closePage(page, context)}`;
      return chunks(kind, page, rows, context);
    },
  };
}

function closePage(page: TimedPage, { clock }: Context): string {
  const { last, rowCount } = page.end();
  if (page.startMs === undefined) return last ? LAST_PAGE_END : PAGE_END;
  const timeMs = (clock.monotonicMs() - page.startMs).toFixed(3);
  return `],"last":${last},"rowCount":${rowCount},"timeMs":${timeMs}}`;
}

async function* chunks(
  kind: PageKind,
  page: TimedPage,
  rows: AsyncIterable<string>,
  context: Context,
): AsyncIterable<string> {
  yield `${pageHead(kind, page, context)}${page.queryId},"items":[`;
  yield* rows;
  yield closePage(page, context);
}

const LAST_PAGE_END = '],"last":true}';
const PAGE_END = '],"last":false}';

/** The beginnings of pages, by their columns. A prepared statement returns the same array on every execution. */
const HEADS = new WeakMap<readonly Column[], string>();

/** The same in compatibility mode `reference`. */
const IGNITE_HEADS = new WeakMap<readonly Column[], string>();

/** Returns a page up to its query's id. */
function pageHead(kind: PageKind, page: QueryPage, { compatibility }: Context): string {
  // Column classes (docs/differences.md, row 28), and null for members that a page lacks (row 33).
  const isIgnites = compatibility === 'reference';
  if (kind !== 'fields') return headOf(columnsText(kind, isIgnites));
  const heads = isIgnites ? IGNITE_HEADS : HEADS;
  let head = heads.get(page.columns);
  if (head === undefined) {
    head = headOf(JSON.stringify(isIgnites ? page.columns.map(withIgniteClass) : page.columns));
    heads.set(page.columns, head);
  }
  return head;
}

function headOf(columns: string): string {
  return `{"fieldsMetadata":${columns},"queryId":`;
}

function withIgniteClass(column: Column): Column {
  return column.fieldTypeName === 'java.util.UUID' ? { ...column, fieldTypeName: '[B' } : column;
}

function columnsText(kind: Exclude<PageKind, 'fields'>, isIgnites: boolean): string {
  if (kind === 'fetch') return isIgnites ? 'null' : '[]';
  if (kind === 'type') return '[]';
  const empty = isIgnites ? null : '';
  const describe = (fieldName: string) => ({ fieldName, fieldTypeName: empty, schemaName: empty, typeName: empty });
  return JSON.stringify([describe('key'), describe('value')]);
}
