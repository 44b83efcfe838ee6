/** Buttons that each save a response as a file, with its progress and a button that cancels it. */
import { useSignal } from '@preact/signals';
import { messageOf, type Parameters } from '../requests/request.ts';
import { offerFile, readBody } from './download.ts';
import { Failure, Status } from './elements.tsx';
import { formatBytes, formatCount, formatNumber } from './formats.ts';
import { LineCount } from './line-count.ts';

export interface Download {
  /** What the button calls the format. */
  readonly format: string;
  readonly fileName: string;
  readonly command: string;
  readonly parameters: Parameters;
  /** The media type that is asked for. */
  readonly accept: string;
  /** Rows that are expected; undefined if it is not known. Each is a line, and the first may have the names. */
  readonly rowCount?: number | undefined;
  /** Converts what was read; default: it is saved as it is. */
  readonly convert?: (parts: BlobPart[]) => Promise<{ readonly parts: BlobPart[]; readonly type: string }>;
}

export function Downloads({ downloads }: { readonly downloads: readonly Download[] }) {
  const status = useSignal('');
  const error = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  const share = useSignal<number | undefined>(undefined);
  const start = async (download: Download): Promise<void> => {
    const { format, fileName, command, parameters, accept, rowCount, convert } = download;
    const controller = new AbortController();
    running.value = controller;
    share.value = undefined;
    error.value = '';
    const lines = new LineCount();
    try {
      const onBytes = (bytes: number, part: Uint8Array): void => {
        lines.add(part);
        const rows = Math.max(0, accept === 'text/csv' ? lines.count - 1 : lines.count);
        const done = rowCount === undefined ? '' : `${formatNumber(rows)} of `;
        status.value = `${format}: ${done}${formatCount(rowCount ?? rows, 'row')}, ${formatBytes(bytes)} read`;
        if (rowCount !== undefined && rowCount > 0) share.value = Math.min(1, rows / rowCount);
      };
      const read = await readBody(command, parameters, accept, onBytes, controller.signal);
      const { parts, type } = (await convert?.(read)) ?? { parts: read, type: accept };
      offerFile(fileName, parts, type);
      status.value = `${format}: done, ${status.value.replace(/^.*?: | read$/g, '')}`;
    } catch (problem) {
      status.value = '';
      error.value = controller.signal.aborted ? 'The export was cancelled.' : messageOf(problem);
    } finally {
      running.value = undefined;
    }
  };
  return (
    <div class="actions">
      {downloads.map((each) => (
        <button key={each.format} type="button" disabled={running.value !== undefined} onClick={() => start(each)}>
          Export {each.format}
        </button>
      ))}
      {running.value !== undefined && (
        <>
          <button type="button" onClick={() => running.value?.abort()}>
            Cancel export
          </button>
          <progress aria-label="Export" {...(share.value !== undefined && { value: share.value })} />
        </>
      )}
      <Status text={status.value} />
      <Failure text={error.value} />
    </div>
  );
}
