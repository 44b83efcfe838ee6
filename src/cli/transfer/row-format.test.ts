import { expect, test } from 'bun:test';
import { runSvc } from '../../../test/fixtures/cli/terminal.ts';
import { CommandLineError, EXIT_CODES } from '../exit-codes.ts';
import { formatOf } from './row-format.ts';

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

const REJECTED = ['x.parquet', 'x.arrow', 'x.xlsx', 'x.json', 'x.parquet.gz', 'x.csv.zst', 'folder/x.csv.bak'];
for (const subcommand of ['export', 'import']) {
  test.each(REJECTED)(`svc ${subcommand} rejects %s before it connects`, async (file) => {
    const { exitCode, errors } = await runSvc([subcommand, file, '--cache', 'c', '--url', 'http://127.0.0.1:1/svc']);
    expect([exitCode, errors]).toEqual([
      EXIT_CODES.usage,
      expect.stringMatching(
        /^svc: \S+: \.\w+ is not supported; files end in \.csv, .* or --format names csv or ndjson\n$/,
      ),
    ]);
  });
}

test('an unknown format is rejected', () => {
  expect(() => formatOf('rows.csv', 'parquet')).toThrow(CommandLineError);
});
