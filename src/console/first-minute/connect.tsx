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

/** The clients, and how they are installed: as docs/clients.md says. */
const CLIENTS: ReadonlyArray<readonly [language: string, install: string]> = [
  ['TypeScript, JavaScript', 'npm install @svc-grid/svc'],
  ['Python', 'pip install svc-grid'],
  ['Go', 'go get github.com/svc-grid/svc-go'],
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
        columns={['Language', 'Install']}
        empty=""
        rows={CLIENTS.map(([language, install]) => ({
          key: language,
          cells: [language, <code key="install">{install}</code>],
        }))}
      />
      <p class="hint">
        curl and programs in Java need no client. Each screen shows its requests as programs send them.
      </p>
      <Failure text={failure} />
      {Shown !== undefined && <Shown request={FIRST_REQUEST} title="A first request" />}
    </Dialog>
  );
}
