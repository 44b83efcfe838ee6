/** Buttons that each save a response as a file, with its progress and a button that cancels it. */
import { useSignal } from '@preact/signals';
import { messageOf, type Parameters } from '../requests/request.ts';
import { offerFile, readBody } from './download.ts';
import { Failure, Status } from './elements.tsx';
import { formatBytes } from './formats.ts';

export interface Download {
  /** What the button calls the format. */
  readonly format: string;
  readonly fileName: string;
  readonly command: string;
  readonly parameters: Parameters;
  /** The media type that is asked for. */
  readonly accept: string;
  /** Converts what was read; default: it is saved as it is. */
  readonly convert?: (parts: BlobPart[]) => Promise<{ readonly parts: BlobPart[]; readonly type: string }>;
}

export function Downloads({ downloads }: { readonly downloads: readonly Download[] }) {
  const status = useSignal('');
  const error = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  const start = async ({ format, fileName, command, parameters, accept, convert }: Download): Promise<void> => {
    const controller = new AbortController();
    running.value = controller;
    error.value = '';
    try {
      const onBytes = (bytes: number): void => {
        status.value = `${format}: ${formatBytes(bytes)} read`;
      };
      const read = await readBody(command, parameters, accept, onBytes, controller.signal);
      const { parts, type } = (await convert?.(read)) ?? { parts: read, type: accept };
      offerFile(fileName, parts, type);
      status.value = `${format}: done`;
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
          <progress aria-label="Export" />
        </>
      )}
      <Status text={status.value} />
      <Failure text={error.value} />
    </div>
  );
}
