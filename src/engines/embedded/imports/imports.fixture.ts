/** Grids with imports in one thread, for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../../../base/clock.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../base/limits.ts';
import type { ImportReport, ImportRequest, ImportTarget } from '../../../grid/bulk.ts';
import type { CacheDeclaration, RegionDeclaration } from '../../../grid/declarations.ts';
import { parseOnce } from '../../../sql/analysis/analysis.ts';
import { formatText } from '../../../values/json.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import { EmbeddedBulk } from './embedded-bulk.ts';
import type { ImportChannel, ImportMethods } from './import-protocol.ts';
import { ImportRunner } from './import-runner.ts';

const folders: string[] = [];
/** Removes the folders of all grids. */
export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

export interface Opened extends AsyncDisposable {
  readonly grid: EmbeddedGrid;
  readonly bulk: EmbeddedBulk;
  readonly runner: ImportRunner;
  readonly folder: string;
  run(sql: string): Promise<void>;
  /** The rows of a table, one text a row, in the order of their keys. */
  rows(cache: string): Promise<string[]>;
  entries(cache: string): Promise<string[]>;
}

interface OpenOptions {
  readonly folder?: string;
  readonly limits?: Partial<Limits>;
  readonly caches?: readonly CacheDeclaration[];
  readonly regions?: readonly RegionDeclaration[];
}

export async function open({ folder = newFolder(), limits, caches, regions }: OpenOptions = {}): Promise<Opened> {
  const grid = await openEmbeddedGrid({
    dataDir: folder,
    version: '1.0.0',
    clock,
    limits: { ...DEFAULT_LIMITS, ...limits },
    ...(caches && { caches }),
    ...(regions && { regions }),
  });
  const runner = new ImportRunner({
    thread: grid.thread,
    clock,
    isStopping: () => false,
    serviceName: 'svc',
    onReceive: undefined,
    changes: grid.writer,
    onExpiry: (cache, atMs) => grid.expectExpiry(cache, atMs),
  });
  const all = async (cache: string, show: (key: string, value: string) => string): Promise<string[]> => {
    const shown: string[] = [];
    for await (const { entries } of grid.transfer.scan(cache)) {
      for (const { key, value } of entries) shown.push(show(formatText(key), formatText(value)));
    }
    return shown;
  };
  return {
    grid,
    runner,
    folder,
    bulk: new EmbeddedBulk(async () => channelTo(runner)),
    async run(sql) {
      const { statement } = parseOnce(sql);
      if (statement.kind !== 'createTable' && statement.kind !== 'addColumns' && statement.kind !== 'createIndex') {
        throw new Error(sql);
      }
      await grid.writer.submit('runDdl', { statement, schema: 'PUBLIC' });
    },
    rows: (cache) => all(cache, (key, value) => `${key} ${value}`),
    entries: (cache) => all(cache, (key, value) => `${key}=${value}`),
    async [Symbol.asyncDispose]() {
      runner.close();
      await grid.close();
    },
  };
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-imports-'));
  folders.push(folder);
  return folder;
}

function channelTo(runner: ImportRunner): ImportChannel {
  const methods: { [N in keyof ImportMethods]: (request: never) => unknown } = {
    importBegin: (request) => runner.begin(request),
    importFeed: (request) => runner.feed(request),
    importEnd: (request) => runner.end(request),
    importState: (request) => runner.state(request),
    importDiscard: (request) => runner.discard(request),
  };
  return {
    async call(name, request) {
      return (await methods[name](request as never)) as never;
    },
  };
}

export const PERSON = { kind: 'table', name: 'person', cache: 'default' } satisfies ImportTarget;
export const CACHE = {
  kind: 'cache',
  cache: 'default',
  keyType: undefined,
  valueType: undefined,
} satisfies ImportTarget;

export function request(target: ImportTarget, options: Partial<ImportRequest> = {}): ImportRequest {
  return {
    target,
    owner: 'ann',
    claimant: { key: 'user ann', isAdministrator: false },
    format: 'csv',
    id: undefined,
    header: true,
    columns: undefined,
    delimiter: ',',
    nullText: '',
    onDuplicate: target.kind === 'table' ? 'error' : 'replace',
    onError: 'stop',
    isAtomic: false,
    offset: 0,
    isLast: true,
    ...options,
  };
}

/** A source that arrives in parts of `size` bytes. */
export function sourceOf(data: string | Uint8Array, size = 1_000_000) {
  const bytes = Buffer.from(data as string);
  let at = 0;
  return {
    async read() {
      if (at >= bytes.length) return undefined;
      const part = new Uint8Array(bytes.subarray(at, at + size));
      at += size;
      return part;
    },
  };
}

/** The report of an import, also of one that failed, with its error. */
export async function outcome(imported: Promise<ImportReport>): Promise<ImportReport & { error?: string }> {
  try {
    return await imported;
  } catch (error) {
    const { report, message } = error as { report?: ImportReport; message: string };
    if (report === undefined) throw error;
    return { ...report, error: message };
  }
}

export const CREATE = 'create table person(id bigint primary key, name varchar(10), age int) with "cache_name=p"';
