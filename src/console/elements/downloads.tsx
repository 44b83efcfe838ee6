/** Buttons that each save a response as a file, with its progress and a button that cancels it. */
import type { Parameters } from '../requests/request.ts';
import { offerFile, readBody } from './download.ts';
import { Button } from './elements.tsx';
import { formatBytes, formatCount, formatNumber } from './formats.ts';
import { LineCount } from './line-count.ts';
import { TransferProgress, useTransfer } from './transfer.tsx';

export interface Download {
  /** The format's name on the button. */
  readonly format: string;
  readonly fileName: string;
  readonly command: string;
  readonly parameters: Parameters;
  /** The requested media type. */
  readonly accept: string;
  /** The expected number of rows; undefined if not known. Each is a line, and the first may have the names. */
  readonly rowCount?: number | undefined;
  /** Converts the data; by default it is saved unchanged. */
  readonly convert?: (parts: BlobPart[]) => Promise<{ readonly parts: BlobPart[]; readonly type: string }>;
}

export interface DownloadsProps {
  readonly downloads: readonly Download[];
  /** Says what the buttons do, where no heading does. */
  readonly label?: string;
}

export function Downloads({ downloads, label }: DownloadsProps) {
  const transfer = useTransfer();
  const { share, status, running, run } = transfer;
  const start = ({ format, fileName, command, parameters, accept, rowCount, convert }: Download): Promise<boolean> =>
    run('export', async (abort) => {
      const lines = new LineCount();
      let received = '';
      const onBytes = (bytes: number, part: Uint8Array): void => {
        lines.add(part);
        const rows = Math.max(0, accept === 'text/csv' ? lines.count - 1 : lines.count);
        const done = rowCount === undefined ? '' : `${formatNumber(rows)} of `;
        received = `${done}${formatCount(rowCount ?? rows, 'row')}, ${formatBytes(bytes)}`;
        status.value = `${format}: ${received} read`;
        if (rowCount !== undefined && rowCount > 0) share.value = Math.min(1, rows / rowCount);
      };
      const read = await readBody(command, parameters, accept, onBytes, abort);
      const { parts, type } = (await convert?.(read)) ?? { parts: read, type: accept };
      offerFile(fileName, parts, type);
      return `${format}: done, ${received}`;
    });
  return (
    <div class="actions">
      {label !== undefined && <span>{label}</span>}
      {downloads.map((each) => (
        <Button
          key={each.format}
          aria-label={`Export ${each.format}`}
          disabled={running.value !== undefined}
          onClick={() => start(each)}
        >
          {each.format}
        </Button>
      ))}
      <TransferProgress noun="export" transfer={transfer} />
    </div>
  );
}
