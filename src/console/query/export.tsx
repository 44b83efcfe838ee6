/** Exports all rows of a statement to a file. */
import { type Download, Downloads } from '../elements/downloads.tsx';
import { parametersOf, type Statement } from '../rows/result.ts';

const NDJSON_TYPE = 'application/x-ndjson';

/** Turns lines of JSON into one JSON list. */
async function asList(lines: BlobPart[]) {
  const text = await new Blob(lines).text();
  return { parts: ['[\n', text.trimEnd().replaceAll('\n', ',\n'), '\n]\n'], type: 'application/json' };
}

interface ExportProps {
  readonly statement: Statement;
  /** Undefined if not all rows have been read. */
  readonly rowCount: number | undefined;
}

export function Export({ statement, rowCount }: ExportProps) {
  const all = { command: 'qryfldexe', parameters: { ...parametersOf(statement), pageSize: 1_000 }, rowCount };
  const downloads: readonly Download[] = [
    { ...all, format: 'CSV', fileName: 'result.csv', accept: 'text/csv' },
    { ...all, format: 'JSON', fileName: 'result.json', accept: NDJSON_TYPE, convert: asList },
    { ...all, format: 'NDJSON', fileName: 'result.ndjson', accept: NDJSON_TYPE },
  ];
  return <Downloads downloads={downloads} label="Export" />;
}
