/** One import of a file, with its progress: the common part of the forms for caches, tables and new tables. */
import { useLayoutEffect, useRef } from 'preact/hooks';
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

interface FileFieldProps {
  /** The file to import, which may have been dropped elsewhere; undefined if there is none yet. */
  readonly file: File | undefined;
  readonly onFile: (file: File | undefined) => void;
}

/** Asks for a file, and shows the name and size of the one to import. */
export function FileField({ file, onFile }: FileFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const { current: input } = field;
    if (input === null || file === undefined || input.files?.[0] === file) return;
    const transfer = new DataTransfer();
    transfer.items.add(file);
    input.files = transfer.files;
  }, [file]);
  return (
    <Field label="File, CSV, JSON or NDJSON" hint={file && formatBytes(file.size)}>
      {(attributes) => (
        <input
          {...attributes}
          ref={field}
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json"
          onChange={(event) => onFile(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

interface RunButtonsProps {
  readonly run: ImportRun;
  readonly disabled: boolean;
  /** Whether they end a dialog and stay in view at its edge. Default: false. */
  readonly isDialogEnd?: boolean;
}

/** The buttons that start and cancel an import, and its progress. */
export function RunButtons({ run, disabled, isDialogEnd = false }: RunButtonsProps) {
  return (
    <div class={isDialogEnd ? 'actions dialog-actions' : 'actions'}>
      <button type="submit" class="primary" disabled={disabled || run.running.value !== undefined}>
        Import
      </button>
      <TransferProgress noun="import" transfer={run} />
    </div>
  );
}
