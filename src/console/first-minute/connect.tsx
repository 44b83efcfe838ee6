/** How programs reach the service: its addresses, its clients and a first request. */
import { useSamples } from '../commands/use-samples.ts';
import { Dialog, Failure, Table } from '../elements/elements.tsx';
import { endpointUrl } from '../requests/request.ts';
import type { SentRequest } from '../requests/sent-requests.ts';

const FIRST_REQUEST: SentRequest = { cmd: 'put', params: { cacheName: 'default', key: 'greeting', val: 'hello' } };

const PAGES: ReadonlyArray<readonly [what: string, path: string]> = [
  ['All commands, to read and to try', 'docs'],
  ['OpenAPI document', 'openapi.json'],
];

/** The clients, and where they are in the repository: none is in a registry yet, as docs/clients.md says. */
const CLIENTS: ReadonlyArray<readonly [language: string, place: string]> = [
  ['TypeScript, JavaScript', 'src/client'],
  ['Python', 'clients/python'],
  ['Go', 'clients/go'],
];

export function Connect() {
  const base = endpointUrl();
  const { Shown, failure } = useSamples();
  return (
    <Dialog title="Connect a client" isWide>
      <Table
        caption="Addresses"
        columns={['What', 'Address']}
        empty=""
        rows={[
          { key: 'endpoint', cells: ['Commands over HTTP', <code key="address">{base}</code>] },
          ...PAGES.map(([what, path]) => ({
            key: path,
            cells: [
              what,
              <a key="address" href={path}>
                {new URL(path, base).href}
              </a>,
            ],
          })),
        ]}
      />
      <Table
        caption="Clients"
        columns={['Language', 'In the repository']}
        empty=""
        rows={CLIENTS.map(([language, place]) => ({
          key: language,
          cells: [language, <code key="place">{place}</code>],
        }))}
      />
      <p class="hint">
        The clients are not in a registry yet: docs/clients.md says how to install them from a clone. curl and programs
        in Java need no client. Each screen shows its requests as programs would send them.
      </p>
      <Failure text={failure} />
      {Shown !== undefined && <Shown request={FIRST_REQUEST} title="A first request" />}
    </Dialog>
  );
}
