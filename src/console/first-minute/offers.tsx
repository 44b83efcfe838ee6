/** The first steps in a service without data: create a table, import a file, load a sample, connect a client. */
import { useSignal } from '@preact/signals';
import { ImportTable } from '../definitions/import-table.tsx';
import { NewTable } from '../definitions/new-table.tsx';
import { goTo } from '../elements/address.ts';
import { useAttempt } from '../elements/attempt.ts';
import { Button, Failure, Status } from '../elements/elements.tsx';
import { openDialog } from '../elements/opened-dialog.tsx';
import { refreshCatalog } from '../requests/catalog.ts';
import { Connect } from './connect.tsx';
import { loadSample } from './load-sample.ts';

/** Shows what was created. The offers vanish when the list is read again. */
async function show(cacheName: string): Promise<void> {
  goTo('caches', { name: cacheName });
  await refreshCatalog();
}

export function Offers() {
  const status = useSignal('');
  const { error, attempt } = useAttempt();
  const load = async (): Promise<void> => {
    await attempt(async () => show(await loadSample((text) => (status.value = text))));
    status.value = '';
  };
  return (
    <section class="offers" aria-labelledby="offers">
      <h2 id="offers">This service has no data yet</h2>
      <ul>
        <li>
          <h3>Import a CSV file</h3>
          <p>Columns and their types are inferred. You correct them, and the table is created.</p>
          <Button class="primary" onClick={() => openDialog(<ImportTable onImported={show} />)}>
            Import a CSV file …
          </Button>
        </li>
        <li>
          <h3>Create a table</h3>
          <p>Choose columns, types and the key in a form, with its SQL next to it.</p>
          <Button onClick={() => openDialog(<NewTable onCreated={show} />)}>Create a table …</Button>
        </li>
        <li>
          <h3>Load sample data</h3>
          <p>A month of a bicycle rental: two tables, a change feed, a cache, and entries that expire.</p>
          <Button disabled={status.value !== ''} onClick={load}>
            Load the sample data
          </Button>
        </li>
        <li>
          <h3>Connect a client</h3>
          <p>The address, and a first request in curl, TypeScript, Python, Go and Java.</p>
          <Button onClick={() => openDialog(<Connect />)}>Connect a client …</Button>
        </li>
      </ul>
      <Status text={status.value} />
      <Failure text={error.value} />
    </section>
  );
}
