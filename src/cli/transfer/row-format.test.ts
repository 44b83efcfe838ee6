import { expect, test } from 'bun:test';
import { runSvc } from '../../../test/fixtures/cli/terminal.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { CommandLineError } from '../failures.ts';
import { exportFormatOf, formatOf } from './row-format.ts';

test.each([
  ['rows.csv', undefined, 'csv'],
  ['rows.TSV.gz', undefined, 'csv'],
  ['rows.ndjson', undefined, 'ndjson'],
  ['rows.jsonl.gz', undefined, 'ndjson'],
  ['a.folder/rows', undefined, undefined],
  ['rows.gz', undefined, undefined],
  ['-', undefined, undefined],
  ['rows.parquet', 'csv', 'csv'],
] as const)('%s with the format %s is %s', (file, option, format) => expect(formatOf(file, option)).toBe(format));

test.each([
  ['rows.csv', undefined, 'csv'],
  ['rows.json', undefined, 'json'],
  ['rows.JSON.gz', undefined, 'json'],
  ['-', undefined, 'ndjson'],
  ['rows', 'json', 'json'],
] as const)('%s with the format %s is written as %s', (file, option, format) =>
  expect(exportFormatOf(file, option)).toBe(format),
);

const ENDINGS = /^svc: \S+: \.\w+ is not supported; files end in \.csv, .* or --format names csv(?:,| or) ndjson.*\n$/;
const REJECTED: ReadonlyArray<readonly [subcommand: string, file: string, errors: RegExp]> = [
  ...['x.arrow', 'x.csv.zst', 'folder/x.csv.bak'].flatMap((file) => [
    ['export', file, ENDINGS] as const,
    ['import', file, ENDINGS] as const,
  ]),
  ['export', 'x.parquet', ENDINGS],
  ['import', 'x.parquet', /\.parquet is not supported; DuckDB writes it as CSV: duckdb -c ".*" \| svc import - /],
  ['import', 'x.parquet.gz', /\.parquet is not supported; DuckDB writes it as CSV/],
  ['export', 'x.xlsx', ENDINGS],
  ['import', 'x.xlsx', /\.xlsx is not supported; save the sheet as CSV, or see docs\/import.md/],
  ['import', 'x.json', /\.json is not supported; write one object a line \(jq/],
];
test.each(REJECTED)('svc %s rejects %s before it connects', async (subcommand, file, expected) => {
  const { exitCode, errors } = await runSvc([subcommand, file, '--cache', 'c', '--url', 'http://127.0.0.1:1/svc']);
  expect([exitCode, errors]).toEqual([EXIT_CODES.usage, expect.stringMatching(expected)]);
});

test('an unknown format is rejected', () => {
  expect(() => formatOf('rows.csv', 'parquet')).toThrow(CommandLineError);
});
