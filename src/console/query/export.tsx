/** Exports all rows of a statement to a file. */
import { useSignal } from '@preact/signals';
import { offerFile, readBody } from '../elements/download.ts';
import { Failure, Status } from '../elements/elements.tsx';
import { formatBytes } from '../elements/formats.ts';
import { messageOf } from '../requests/request.ts';
import { parametersOf, type Statement } from './result.ts';

const FORMATS = [
  ['CSV', 'csv', 'text/csv'],
  ['JSON', 'json', 'application/x-ndjson'],
  ['NDJSON', 'ndjson', 'application/x-ndjson'],
] as const;

/** Turns lines of JSON into the members of one JSON list. */
function asList(lines: string): string[] {
  return ['[\n', lines.trimEnd().replaceAll('\n', ',\n'), '\n]\n'];
}

export function Export({ statement }: { readonly statement: Statement }) {
  const status = useSignal('');
  const error = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  const start = async ([name, extension, accept]: (typeof FORMATS)[number]): Promise<void> => {
    const controller = new AbortController();
    running.value = controller;
    error.value = '';
    try {
      const onBytes = (bytes: number): void => {
        status.value = `${name}: ${formatBytes(bytes)} read`;
      };
      const parts = await readBody(
        'qryfldexe',
        { ...parametersOf(statement), pageSize: 1_000 },
        accept,
        onBytes,
        controller.signal,
      );
      const content = name === 'JSON' ? asList(await new Blob(parts).text()) : parts;
      offerFile(`result.${extension}`, content, name === 'JSON' ? 'application/json' : accept);
      status.value = `${name}: done`;
    } catch (problem) {
      status.value = '';
      error.value = controller.signal.aborted ? 'The export was cancelled.' : messageOf(problem);
    } finally {
      running.value = undefined;
    }
  };
  return (
    <div class="actions">
      {FORMATS.map((format) => (
        <button key={format[0]} type="button" disabled={running.value !== undefined} onClick={() => start(format)}>
          Export {format[0]}
        </button>
      ))}
      {running.value !== undefined && (
        <button type="button" onClick={() => running.value?.abort()}>
          Cancel export
        </button>
      )}
      <Status text={status.value} />
      <Failure text={error.value} />
    </div>
  );
}
