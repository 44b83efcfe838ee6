/** One import of a file, with its progress: the common part of the forms for caches, tables and new tables. */
import { Field } from '../elements/elements.tsx';
import { formatBytes, formatNumber } from '../elements/formats.ts';
import { type Transfer, TransferProgress, useTransfer } from '../elements/transfer.tsx';
import { upload } from '../requests/upload.ts';
import { importable } from './json-lines.ts';

export interface ImportRun extends Transfer {
  /** Sends a file, and resolves whether it was imported. */
  start(params: Readonly<Record<string, string>>, source: File): Promise<boolean>;
}

/** Returns the media type of a file, by its ending. */
export function mediaTypeOf({ name }: File): string {
  return /\.(?:nd)?jsonl?$/i.test(name) ? 'application/x-ndjson' : 'text/csv';
}

export function useImportRun(): ImportRun {
  const transfer = useTransfer();
  const { share, status, run } = transfer;
  const start = (params: Readonly<Record<string, string>>, source: File): Promise<boolean> =>
    run('import', async (abort) => {
      const file = await importable(source);
      const report = await upload('import', params, file, mediaTypeOf(file), abort, (sent) => {
        share.value = file.size === 0 ? 1 : sent / file.size;
        status.value = `${formatBytes(sent)} of ${formatBytes(file.size)} sent`;
      });
      return `Imported: ${describe(report)}`;
    });
  return { ...transfer, start };
}

/** Returns the numbers of a report: `stored 3, rejected 0`. */
function describe(report: object): string {
  return Object.entries(report)
    .filter(([, value]) => typeof value === 'number' || typeof value === 'bigint')
    .map(([name, value]) => `${name} ${formatNumber(Number(value))}`)
    .join(', ');
}

export function FileField({ onFile }: { readonly onFile: (file: File | undefined) => void }) {
  return (
    <Field label="File, CSV, JSON or NDJSON">
      {(attributes) => (
        <input
          {...attributes}
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json"
          onChange={(event) => onFile(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

/** The buttons that start and cancel an import, and its progress. */
export function RunButtons({ run, disabled }: { readonly run: ImportRun; readonly disabled: boolean }) {
  return (
    <div class="actions">
      <button type="submit" class="primary" disabled={disabled || run.running.value !== undefined}>
        Import
      </button>
      <TransferProgress noun="import" transfer={run} />
    </div>
  );
}
