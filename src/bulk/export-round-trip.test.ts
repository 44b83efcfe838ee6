/** An import reads back the entries of an export as exactly the same values. */
import { describe, expect, test } from 'bun:test';
import { pick, randomValue, seededRandom } from '../../test/fixtures/values/random-values.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import type { ExportForm } from '../grid/bulk.ts';
import { exportWriters } from '../grid/export-writers.ts';
import type { Column } from '../grid/grid.ts';
import { writeExact } from '../values/exact-values.ts';
import { NULL, type ObjectSchema, type TypeRegistry, type Value } from '../values/value.ts';
import { CsvReader } from './csv-reader.ts';
import { checkEntryColumns, decodeEntry, ENTRY_COLUMNS, type ImportedEntry } from './entry-records.ts';
import { NdjsonReader } from './ndjson-reader.ts';
import type { SourceRecord } from './records.ts';

const CLASS: ObjectSchema = {
  typeName: 'T',
  source: 'class',
  fields: [{ name: 'a', type: { kind: 'scalar', type: 'integer' } }],
};
const TYPES: TypeRegistry = { find: (typeName) => (typeName === 'T' ? CLASS : undefined) };
const COLUMNS: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));
const FORM: ExportForm = { header: true, delimiter: ',', nullText: '' };
const LIMITS = { columns: ENTRY_COLUMNS, start: { offset: 0, line: 0 }, recordBytes: 4_000_000 };

interface Exported {
  readonly key: Value;
  readonly value: Value;
  readonly expires: Value;
}

function write(entries: readonly Exported[], format: 'csv' | 'ndjson', form: ExportForm): string {
  const writer = exportWriters({ ...form, types: TYPES })(format, 'entry', COLUMNS);
  const rows = entries.map(({ key, value, expires }) => writer.write((at) => [key, value, expires][at] ?? NULL));
  return (
    writer.header + rows.map((row, at) => (at === 0 ? row : writer.separator + row)).join('') + writer.end(rows.length)
  );
}

function read(text: string, format: 'csv' | 'ndjson', form: ExportForm): ImportedEntry[] {
  const { delimiter, nullText } = form;
  const header = form.header ? undefined : ['key', 'value', 'keyType', 'valueType', 'expires'];
  const reader =
    format === 'ndjson'
      ? new NdjsonReader(LIMITS)
      : new CsvReader({ ...LIMITS, delimiter, nullText, header, onHeader: checkEntryColumns });
  const bytes = Buffer.from(text);
  const records: SourceRecord[] = [];
  for (let at = 0; at < bytes.length; at += 997)
    records.push(...reader.feed(new Uint8Array(bytes.subarray(at, at + 997))));
  records.push(...reader.end());
  return records.map(({ fields, error, line }) => {
    if (fields === undefined) throw new Error(`line ${line}: ${error}`);
    return decodeEntry(fields, {
      keyType: undefined,
      valueType: undefined,
      types: TYPES,
      serviceName: 'svc',
      limits: DEFAULT_LIMITS,
      onReceive: undefined,
    });
  });
}

const FORMS: ReadonlyArray<readonly [format: 'csv' | 'ndjson', form: ExportForm]> = [
  ['ndjson', FORM],
  ['csv', FORM],
  ['csv', { header: false, delimiter: '\t', nullText: 'NULL' }],
  ['csv', { header: true, delimiter: ';', nullText: 'a' }],
  ['csv', { header: false, delimiter: '0', nullText: '' }],
];

/** On a busy machine, the entries of one form take several seconds. */
const LIMIT_MS = 30_000;

describe('random entries', () => {
  for (const [format, form] of FORMS) {
    const seed = Math.floor(performance.timeOrigin + performance.now()) >>> 0;
    test(
      `${format} ${JSON.stringify(form)}, seed ${seed}`,
      () => {
        const random = seededRandom(seed);
        const entries = Array.from(
          { length: 2_000 },
          (): Exported => ({
            key: randomValue(random, 0),
            value: randomValue(random, 3),
            expires: pick<Value>(random, [NULL, { type: 'long', data: 0n }, { type: 'long', data: 253402300799000n }]),
          }),
        );
        const found = read(write(entries, format, form), format, form);
        expect(found.length).toBe(entries.length);
        for (const [at, { key, value, expires }] of entries.entries()) {
          expect(writeExact(found[at]?.key ?? NULL)).toBe(writeExact(key));
          expect(writeExact(found[at]?.value ?? NULL)).toBe(writeExact(value));
          expect(found[at]?.expiresMs).toBe(expires.type === 'long' ? Number(expires.data) || null : undefined);
        }
      },
      LIMIT_MS,
    );
  }
});

/** Values with their type and form in NDJSON: a readable form, if that reads back as the same value. */
const READABLE: ReadonlyArray<readonly [value: Value, type: string, json: string]> = [
  [{ type: 'string', data: 'a"b' }, 'string', '"a\\"b"'],
  [{ type: 'long', data: 5n }, 'long', '5'],
  [{ type: 'double', data: Number.NaN }, 'double', '"NaN"'],
  [{ type: 'decimal', data: { unscaled: 110n, scale: 2 } }, 'java.math.BigDecimal', '1.10'],
  [{ type: 'list', data: [{ type: 'integer', data: 1 }] }, 'java.util.ArrayList', '[1]'],
  [{ type: 'list', data: [{ type: 'long', data: 1n }] }, 'SvcValue', '{"list":[{"long":"1"}]}'],
  [{ type: 'map', data: [], kind: 'hashMap' }, 'java.util.HashMap', '{}'],
  [{ type: 'array', element: 'integer', data: [{ type: 'integer', data: 1 }] }, '[I', '[1]'],
  [{ type: 'object', typeName: 'P', fields: [{ name: 'a', value: { type: 'string', data: 'x' } }] }, 'P', '{"a":"x"}'],
  [{ type: 'object', typeName: 'SvcValue', fields: [] }, 'SvcValue', '{"object":"SvcValue","fields":[]}'],
  [{ type: 'enum', typeName: 'E', ordinal: 1, name: 'B' }, 'SvcValue', '{"enum":"E","ordinal":1,"name":"B"}'],
  [{ type: 'bytes', data: Uint8Array.of(1, 2) }, '[B', '"AQI="'],
  // The string null is not a value.
  [{ type: 'bytes', data: Uint8Array.fromBase64('null') }, 'SvcValue', '{"bytes":"null"}'],
];
for (const [value, type, json] of READABLE) {
  test(`writes ${json} as ${type}`, () => {
    const key: Value = { type: 'integer', data: 1 };
    expect(write([{ key, value, expires: NULL }], 'ndjson', FORM)).toBe(
      `{"key":1,"value":${json},"keyType":"integer","valueType":"${type}"}\n`,
    );
    expect(read(write([{ key, value, expires: NULL }], 'ndjson', FORM), 'ndjson', FORM)[0]?.value).toEqual(value);
  });
}

test('rejects a value that cannot be stored', () => {
  const value: Value = { type: 'list', data: [{ type: 'opaque', className: 'org.example.X', text: '?' }] };
  expect(() => write([{ key: value, value, expires: NULL }], 'ndjson', FORM)).toThrow(
    'A value of key cannot be written',
  );
});
