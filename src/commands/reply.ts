/** Reply shapes: how a handler's result becomes the JSON text of `response`, and the schema that describes it. */
import type { CacheMetadata, CacheMetrics, Column, Entry, QueryPage } from '../grid/grid.ts';
import { formatText, writeJson, writeText } from '../values/json.ts';
import { formatReferenceKey } from '../values/reference-keys.ts';
import type { Value } from '../values/value.ts';
import type { Context, TaskOutcome } from './context.ts';

/** A JSON Schema, as OpenAPI 3.1 embeds it. */
export type JsonSchema = { readonly [member: string]: JsonSchemaPart };
type JsonSchemaPart = string | number | boolean | null | JsonSchema | readonly JsonSchemaPart[];

export interface Reply<R> {
  readonly kind: string;
  readonly summary: string;
  readonly schema: JsonSchema;
  /** JSON text of `response`, or its pieces in order. */
  write(result: R, context: Context): string | AsyncIterable<string>;
}

function plain<R>(kind: string, schema: JsonSchema, write: (result: R) => string): (summary: string) => Reply<R> {
  return (summary) => ({ kind, summary, schema, write });
}

export const booleanReply = plain<boolean>('boolean', { type: 'boolean' }, (result) => (result ? 'true' : 'false'));
export const trueReply = plain<void>('boolean', { const: true }, () => 'true');
export const nothing = plain<void>('null', { type: 'null' }, () => 'null');
export const longReply = plain<bigint | number>('long', { type: 'integer', format: 'int64' }, String);
export const textReply = plain<string>('text', { type: 'string' }, writeText);
export const optionalTextReply = plain<string | null>('text', { type: ['string', 'null'] }, (result) =>
  result === null ? 'null' : writeText(result),
);

/** Applies the message interceptor and writes the JSON face. */
export function writeValue(value: Value, context: Context): string {
  return writeJson(context.onSend === undefined ? value : context.onSend(value));
}

/** A value, null when there is none. */
export function valueReply(summary: string): Reply<Value | undefined> {
  return {
    kind: 'value',
    summary,
    schema: { description: 'Any JSON value; null when there is none.' },
    write: (result, context) => (result === undefined ? 'null' : writeValue(result, context)),
  };
}

/** What getall gives: an object by key text, or an array of key and value. */
export function entriesReply(summary: string): Reply<readonly Entry[]> {
  return {
    kind: 'entries',
    summary,
    schema: {
      oneOf: [
        { type: 'object', additionalProperties: true },
        {
          type: 'array',
          items: { type: 'object', required: ['key', 'value'], properties: { key: {}, value: {} } },
        },
      ],
    },
    write(result, context) {
      if (context.getallAsArray) {
        return `[${result
          .map(({ key, value }) => `{"key":${writeValue(key, context)},"value":${writeValue(value, context)}}`)
          .join(',')}]`;
      }
      const members = result.map(({ key, value }) => {
        const sent = context.onSend === undefined ? key : context.onSend(key);
        const name = context.compatibilityFlags.longFormDateKeys ? formatReferenceKey(sent) : formatText(sent);
        return `${writeText(name)}:${writeValue(value, context)}`;
      });
      return `{${members.join(',')}}`;
    },
  };
}

const INTEGER: JsonSchema = { type: 'integer', format: 'int64' };

/** Part 2.3 of the contract. */
export function metricsReply(summary: string): Reply<CacheMetrics> {
  const names = ['createTime', 'readTime', 'writeTime', 'hits', 'misses', 'reads', 'writes'] as const;
  return {
    kind: 'metrics',
    summary,
    schema: {
      type: 'object',
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, INTEGER])),
    },
    write: (result) => `{${names.map((name) => `"${name}":${result[name]}`).join(',')}}`,
  };
}

/** Any result that is plain JSON already. */
export function jsonReply<R>(kind: string, schema: JsonSchema, summary: string): Reply<R> {
  return { kind, summary, schema, write: (result) => JSON.stringify(result) ?? 'null' };
}

const TEXTS: JsonSchema = { type: 'array', items: { type: 'string' } };

/** Part 2.4 of the contract: one object, or an array of them for `*` and in compatibility mode `reference`. */
export function metadataReply(summary: string): Reply<CacheMetadata | readonly CacheMetadata[]> {
  const one: JsonSchema = {
    type: 'object',
    required: ['cacheName', 'types', 'keyClasses', 'valClasses', 'fields', 'indexes'],
    properties: {
      cacheName: { type: 'string' },
      types: TEXTS,
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
            required: ['name', 'fields', 'descendings', 'unique'],
            properties: { name: { type: 'string' }, fields: TEXTS, descendings: TEXTS, unique: { type: 'boolean' } },
          },
        },
      },
    },
  };
  return jsonReply('metadata', { oneOf: [one, { type: 'array', items: one }] }, summary);
}

/** Part 2.4a of the contract. */
export function taskReply(summary: string): Reply<TaskOutcome> {
  return {
    kind: 'task',
    summary,
    schema: {
      type: 'object',
      required: ['id', 'finished', 'error', 'result'],
      properties: {
        id: { type: 'string' },
        finished: { type: 'boolean' },
        error: { type: ['string', 'null'] },
        result: {},
      },
    },
    write(result, context) {
      const error = context.compatibilityFlags.nullTaskError ? 'null' : '""';
      return `{"id":${writeText(result.id)},"finished":${result.finished},"error":${error},"result":${writeValue(result.result, context)}}`;
    },
  };
}

/** Which members a page shows beside its rows: the columns of the first page, `[]` (or null) on later ones. */
export type PageKind = 'fields' | 'type' | 'scan' | 'fetch';

/** A page that also tells its number of rows and the time since `begunMs` of the monotonic clock, where that is set. */
export interface TimedPage extends QueryPage {
  readonly begunMs?: number;
}

/** Part 2.6 of the contract. With NDJSON or CSV the rows alone. */
export function pageReply(kind: PageKind, summary: string): Reply<TimedPage> {
  const column: JsonSchema = {
    type: 'object',
    required: ['fieldName', 'fieldTypeName', 'schemaName', 'typeName'],
    properties: Object.fromEntries(
      ['fieldName', 'fieldTypeName', 'schemaName', 'typeName'].map((name) => [name, { type: ['string', 'null'] }]),
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
          rowCount: { ...INTEGER, description: 'Rows of this page; with `statistics=true`.' },
          timeMs: {
            type: 'number',
            description: 'Time from the statement to the end of this page, in ms; with `statistics=true`.',
          },
        }),
      },
    },
    write(page, context) {
      if (context.rowFormat !== 'json') return page.rows;
      if (typeof page.rows === 'string') return openPage(kind, page, context) + page.rows + closePage(page, context);
      return chunks(kind, page, page.rows, context);
    },
  };
}

function openPage(kind: PageKind, page: QueryPage, { compatibilityFlags }: Context): string {
  return `{"fieldsMetadata":${columnsText(kind, page, compatibilityFlags.nullDescriptors)},"queryId":${page.queryId},"items":[`;
}

function closePage(page: TimedPage, { clock }: Context): string {
  const { last, rowCount } = page.end();
  if (page.begunMs === undefined) return `],"last":${last}}`;
  const timeMs = (clock.monotonicMs() - page.begunMs).toFixed(3);
  return `],"last":${last},"rowCount":${rowCount},"timeMs":${timeMs}}`;
}

async function* chunks(
  kind: PageKind,
  page: TimedPage,
  rows: AsyncIterable<string>,
  context: Context,
): AsyncIterable<string> {
  yield openPage(kind, page, context);
  yield* rows;
  yield closePage(page, context);
}

/** JSON of the columns of prepared statements: they are the same list each time the statement runs. */
const COLUMN_TEXTS = new WeakMap<readonly Column[], string>();

function describeColumns(columns: readonly Column[]): string {
  let text = COLUMN_TEXTS.get(columns);
  if (text === undefined) {
    text = JSON.stringify(columns);
    COLUMN_TEXTS.set(columns, text);
  }
  return text;
}

function columnsText(kind: PageKind, page: QueryPage, nulls: boolean): string {
  if (kind === 'fetch') return nulls ? 'null' : '[]';
  if (kind === 'type') return '[]';
  if (kind === 'fields') return describeColumns(page.columns);
  const empty = nulls ? null : '';
  const describe = (fieldName: string) => ({ fieldName, fieldTypeName: empty, schemaName: empty, typeName: empty });
  return JSON.stringify([describe('key'), describe('value')]);
}
