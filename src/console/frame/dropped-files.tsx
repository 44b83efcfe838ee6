/** A file that is dropped anywhere on the page is imported: the form opens with it. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { goTo } from '../elements/address.ts';
import { Dialog } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { DEFINE, mayEverywhere } from '../requests/access.ts';
import { refreshCatalog } from '../requests/catalog.ts';
import { messageOf } from '../requests/request.ts';

const IMPORTABLE = /\.(?:csv|tsv|txt|json|ndjson|jsonl)$/i;

const isOver = signal(false);

function Refused({ text }: { readonly text: string }) {
  return (
    <Dialog title="The file was not imported">
      <p>{text}</p>
    </Dialog>
  );
}

/** Returns why files cannot be imported, or undefined if they can. */
function reasonAgainst(files: readonly File[]): string | undefined {
  const [file] = files;
  if (file === undefined || files.length > 1) return 'Drop one file at a time.';
  if (!IMPORTABLE.test(file.name)) return `${file.name} is not a CSV, JSON or NDJSON file.`;
  if (mayEverywhere(DEFINE)) return undefined;
  return 'You need the rights to create tables. If you may change a table, open it and import the file there.';
}

async function openImport(files: readonly File[]): Promise<void> {
  const [file] = files;
  const reason = reasonAgainst(files);
  if (reason !== undefined || file === undefined) return openDialog(<Refused text={reason ?? ''} />);
  const show = async (cacheName: string): Promise<void> => {
    goTo('caches', { name: cacheName });
    await refreshCatalog();
  };
  try {
    const { ImportTable } = await import('../definitions/import-table.tsx');
    openDialog(<ImportTable key={`${file.name} ${file.lastModified}`} given={file} onImported={show} />);
  } catch (problem) {
    openDialog(<Refused text={messageOf(problem)} />);
  }
}

/** Whether a drop is for the page: fields for files take them themselves, and open dialogs keep what is typed. */
function isForPage({ dataTransfer, target }: DragEvent): boolean {
  if (dataTransfer?.types.includes('Files') !== true) return false;
  if (target instanceof Element && target.closest('input[type=file]') !== null) return false;
  return document.querySelector('dialog[open]') === null;
}

function follow(): () => void {
  const stop = new AbortController();
  // The editor would take the text of a file.
  const options = { capture: true, signal: stop.signal };
  const onOver = (event: DragEvent): void => {
    isOver.value = isForPage(event);
    if (!isOver.value) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
  };
  const onLeave = ({ relatedTarget }: DragEvent): void => {
    if (relatedTarget === null) isOver.value = false;
  };
  const onDrop = (event: DragEvent): void => {
    isOver.value = false;
    if (!isForPage(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void openImport([...(event.dataTransfer?.files ?? [])]);
  };
  addEventListener('dragover', onOver, options);
  addEventListener('dragleave', onLeave, options);
  addEventListener('drop', onDrop, options);
  return () => stop.abort();
}

/** Says what a drop does while a file is over the page. */
export function DroppedFiles() {
  useEffect(follow, []);
  if (!isOver.value) return null;
  return <p class="drop-hint">Drop the file to import it into a table</p>;
}
