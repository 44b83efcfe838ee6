/** A service for tests, wherever it runs: fixtures, and the result of `@svc-grid/svc/testing`. */
import { StatementSplitter } from './cli/sql/statement-splitter.ts';
import { type ClientOptions, type CommandParameters, type Rows, SvcClient } from './client/client.ts';
import type { StartedService, StartOptions, TestControls } from './wiring/in-process.ts';

/** Entries, statements or rows that a test service contains. */
export type Fixture =
  | {
      /** The cache, which is created if it is missing; default: the default cache. */
      readonly cacheName?: string;
      readonly entries: Readonly<Record<string, CommandParameters['put']['val']>>;
    }
  /** A script of statements, separated by semicolons. */
  | { readonly sql: string }
  /** Rows of a table, which is created if it is missing. */
  | { readonly table: string; readonly csv: Rows }
  | { readonly table: string; readonly ndjson: Rows };

/** How `startTestService` starts a service. */
export interface TestOptions extends StartOptions {
  /** The initial contents of the service, restored by `reset`. */
  readonly fixtures?: readonly Fixture[];
  /** How the client logs in, if the service requires it. */
  readonly client?: Omit<ClientOptions, 'url'>;
}

/** A service for tests. */
export interface TestService extends StartedService, TestControls {
  readonly client: SvcClient;
  /** Adds fixtures in order. */
  load(...fixtures: readonly Fixture[]): Promise<void>;
}

/** Loads the fixtures of a service and takes the first snapshot. Stops it if that fails. */
export async function testServiceOf(
  service: StartedService & TestControls,
  { fixtures = [], client: options = {} }: TestOptions,
): Promise<TestService> {
  const client = new SvcClient({ ...options, url: service.url });
  const load = async (...added: readonly Fixture[]): Promise<void> => {
    for (const fixture of added) checkFixture(fixture);
    for (const fixture of added) await loadFixture(client, fixture);
  };
  try {
    await load(...fixtures);
    await service.snapshot();
  } catch (error) {
    await service.stop();
    throw error;
  }
  const advance = async (ms: number): Promise<void> => {
    if (!(Number.isFinite(ms) && ms >= 0)) throw new TypeError(`advance needs a number of milliseconds, got ${ms}`);
    return service.advance(ms);
  };
  return { ...service, client, load, advance };
}

/** The members by which fixtures are distinguished. A program without types can pass anything. */
const KINDS = ['entries', 'sql', 'csv', 'ndjson'];

function checkFixture(fixture: unknown): void {
  const members = typeof fixture === 'object' && fixture !== null ? Object.keys(fixture) : [];
  if (members.filter((name) => KINDS.includes(name)).length === 1) return;
  const found = members.length > 0 ? `{ ${members.join(', ')} }` : String(fixture);
  throw new TypeError(`a fixture is { entries }, { sql }, { table, csv } or { table, ndjson }, got ${found}`);
}

async function loadFixture(client: SvcClient, fixture: Fixture): Promise<void> {
  if ('sql' in fixture) {
    const splitter = new StatementSplitter();
    for (const { text } of [...splitter.add(fixture.sql), ...splitter.end()]) await client.qryfldexe({ qry: text });
  } else if ('csv' in fixture) {
    await client.import(fixture.csv, { format: 'csv', table: fixture.table, create: true });
  } else if ('ndjson' in fixture) {
    await client.import(fixture.ndjson, { format: 'ndjson', table: fixture.table, create: true });
  } else {
    const { cacheName, entries } = fixture;
    if (cacheName !== undefined) await client.getorcreate({ cacheName });
    const cache = cacheName === undefined ? {} : { cacheName };
    // Not putall: its values all have the same type.
    await Promise.all(Object.entries(entries).map(([key, val]) => client.put({ ...cache, key, val })));
  }
}
