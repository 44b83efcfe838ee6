/** Who runs the statements: the embedded engine in this process, and an Ignite node over HTTP. */
import { systemClock } from '../../src/base/clock.ts';
import { GridError } from '../../src/base/errors.ts';
import { openSqlGrid } from '../../src/engines/embedded/system-views/sql-grid.fixture.ts';

/** What a statement gave. StorageValues are texts: a number as it was written, a text in quotes. */
export type Outcome =
  | { readonly kind: 'rows'; readonly rows: ReadonlyArray<readonly string[]>; readonly types: readonly string[] }
  | { readonly kind: 'refused'; readonly text: string };

export interface Target {
  readonly name: string;
  /** Arguments are texts. */
  run(sql: string, args?: readonly string[]): Promise<Outcome>;
  close(): Promise<void>;
}

/** StorageValues as they were written. */
export function storageValuesOf(json: string): string[][] {
  const rows: unknown = JSON.parse(json, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? { number: context?.source ?? String(value) } : value,
  );
  if (!Array.isArray(rows)) throw new TypeError(`rows expected: ${json}`);
  return rows.map((row: unknown) => (Array.isArray(row) ? row.map(storageValueText) : [storageValueText(row)]));
}

function storageValueText(storageValue: unknown): string {
  if (typeof storageValue === 'object' && storageValue !== null && 'number' in storageValue)
    return String(storageValue.number);
  return JSON.stringify(storageValue);
}

export async function openEmbeddedTarget(): Promise<Target> {
  const sql = await openSqlGrid();
  return {
    name: 'svc',
    async run(statement, args = []) {
      try {
        const { json, columns } = await sql.run(statement, args);
        return { kind: 'rows', rows: storageValuesOf(json), types: columns.map((column) => column.fieldTypeName) };
      } catch (error) {
        if (error instanceof GridError) return { kind: 'refused', text: error.message };
        throw error;
      }
    },
    close: () => sql.close(),
  };
}

/** Envelope of Ignite, as far as it is read here. */
interface Envelope {
  readonly successStatus: number;
  readonly error: string | null;
  readonly response: {
    readonly fieldsMetadata: ReadonlyArray<{ readonly fieldTypeName: string }>;
  } | null;
}

const CACHE = 'HV_DIFFERENTIAL';
const SQL_TIMEOUT_MS = 30_000;

/** A Ignite node, or undefined when none answers under the address. */
export async function openReferenceTarget(url: string): Promise<Target | undefined> {
  const ask = async (parameters: Readonly<Record<string, string>>): Promise<string> => {
    const controller = new AbortController();
    const timer = systemClock.after(SQL_TIMEOUT_MS, () => controller.abort());
    try {
      const body = new URLSearchParams(parameters);
      const answer = await fetch(url, { method: 'POST', body, signal: controller.signal });
      return await answer.text();
    } finally {
      timer.cancel();
    }
  };
  try {
    await ask({ cmd: 'getorcreate', cacheName: CACHE });
  } catch {
    return undefined;
  }
  return {
    name: 'reference',
    async run(qry, args = []) {
      const given = Object.fromEntries(args.map((arg, at) => [`arg${at + 1}`, arg]));
      const text = await ask({ cmd: 'qryfldexe', cacheName: CACHE, pageSize: '1000000', qry, ...given });
      const envelope: Envelope = JSON.parse(text);
      if (envelope.response === null) return { kind: 'refused', text: envelope.error ?? '' };
      return {
        kind: 'rows',
        rows: itemsOf(text),
        types: envelope.response.fieldsMetadata.map((column) => column.fieldTypeName),
      };
    },
    async close() {
      await ask({ cmd: 'destcache', cacheName: CACHE });
    },
  };
}

/** The rows of an envelope, numbers as they were written. */
function itemsOf(text: string): string[][] {
  let items: unknown[] = [];
  JSON.parse(text, (key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number') return { number: context?.source ?? String(value) };
    if (key === 'items' && Array.isArray(value)) items = value;
    return value;
  });
  return items.map((row) => (Array.isArray(row) ? row.map(storageValueText) : [storageValueText(row)]));
}
