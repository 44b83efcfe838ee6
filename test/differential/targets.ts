/** The targets that run statements: the embedded engine in this process, and an Ignite node over HTTP. */
import { SQLiteError } from 'bun:sqlite';
import { systemClock } from '../../src/base/clock.ts';
import { GridError } from '../../src/base/errors.ts';
import { openSqlGrid } from '../fixtures/embedded/sql-grid.ts';

/** The result of a statement. Values are strings: numbers as written, strings in quotes. */
export type Outcome =
  | {
      readonly kind: 'rows';
      readonly rows: ReadonlyArray<readonly string[]>;
      readonly types: readonly string[];
      /** Names of the columns. */
      readonly names: readonly string[];
    }
  | { readonly kind: 'rejected'; readonly text: string };

/** The beginning of an svc answer that is an error of SQLite, which clients would see only as an internal error. */
export const TEXT_OF_SQLITE = 'SQLite: ';

export interface Target {
  readonly name: string;
  /** Runs a statement. Arguments are strings after their parameters: `?<5>`. */
  run(statement: string): Promise<Outcome>;
  close(): Promise<void>;
}

const PARAMETERS = /\?<([^>]*)>/g;

function withArguments(statement: string): { readonly text: string; readonly args: readonly string[] } {
  return {
    text: statement.replaceAll(PARAMETERS, '?'),
    args: [...statement.matchAll(PARAMETERS)].map(([, argument = '']) => argument),
  };
}

/** Parses rows and keeps numbers as written. */
export function valuesOf(json: string): string[][] {
  const rows: unknown = JSON.parse(json, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? { number: context?.source ?? String(value) } : value,
  );
  if (!Array.isArray(rows)) throw new TypeError(`rows expected: ${json}`);
  return rows.map((row: unknown) => (Array.isArray(row) ? row.map(valueText) : [valueText(row)]));
}

function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'number' in value) return String(value.number);
  if (typeof value === 'object' && value !== null && 'timeZoneOffsetMins' in value)
    return JSON.stringify(zonedTimestampText(value));
  return JSON.stringify(value);
}

/** Returns the ISO text of a TIMESTAMP WITH TIME ZONE, which Ignite writes as an object. */
function zonedTimestampText(value: object): string {
  const members = new Map(Object.entries(value));
  const numberOf = (name: string): number => Number(valueText(members.get(name)));
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [String(numberOf('year')).padStart(4, '0'), two(numberOf('month')), two(numberOf('day'))].join('-');
  const nanos = BigInt(valueText(members.get('nanosSinceMidnight')));
  const seconds = Number(nanos / 1_000_000_000n);
  const fraction = String(nanos % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  const offset = numberOf('timeZoneOffsetMins');
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${date}T${time}${fraction === '' ? '' : `.${fraction}`}${zone}`;
}

export async function openEmbeddedTarget(): Promise<Target> {
  const sql = await openSqlGrid();
  return {
    name: 'svc',
    async run(statement) {
      const { text, args } = withArguments(statement);
      try {
        const { json, columns } = await sql.run(text, args);
        return {
          kind: 'rows',
          rows: valuesOf(json),
          types: columns.map((column) => column.fieldTypeName),
          names: columns.map((column) => column.fieldName),
        };
      } catch (error) {
        if (error instanceof GridError) return { kind: 'rejected', text: error.message };
        if (error instanceof SQLiteError) return { kind: 'rejected', text: TEXT_OF_SQLITE + error.message };
        throw error;
      }
    },
    close: () => sql.close(),
  };
}

/** The part of Ignite's response envelope that the target reads. */
interface Envelope {
  readonly successStatus: number;
  readonly error: string | null;
  readonly response: {
    readonly fieldsMetadata: ReadonlyArray<{ readonly fieldTypeName: string; readonly fieldName: string }>;
  } | null;
}

/** Unique, because closing a target destroys it, and other runs may use the same node. */
const CACHE = `HV_DIFFERENTIAL_${process.pid.toString(36).toUpperCase()}`;
const SQL_TIMEOUT_MS = 30_000;

/** Connects to an Ignite node. Returns undefined if none answers at the URL. */
export async function openIgniteTarget(url: string): Promise<Target | undefined> {
  const send = async (parameters: Readonly<Record<string, string>>): Promise<string> => {
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
    await send({ cmd: 'getorcreate', cacheName: CACHE });
  } catch {
    return undefined;
  }
  return {
    name: 'ignite',
    async run(statement) {
      const { text: qry, args } = withArguments(statement);
      const given = Object.fromEntries(args.map((arg, at) => [`arg${at + 1}`, arg]));
      const query = { cmd: 'qryfldexe', cacheName: CACHE, pageSize: '1000000', qry, ...given };
      let text = await send(query);
      // A node that is busy with other indexes cancels one at times.
      if (text.includes('Index creation was cancelled')) text = await send(query);
      const envelope: Envelope = JSON.parse(text);
      if (envelope.response === null) return { kind: 'rejected', text: envelope.error ?? '' };
      return {
        kind: 'rows',
        rows: itemsOf(text),
        types: envelope.response.fieldsMetadata.map((column) => column.fieldTypeName),
        names: envelope.response.fieldsMetadata.map((column) => column.fieldName),
      };
    },
    async close() {
      await send({ cmd: 'destcache', cacheName: CACHE });
    },
  };
}

/** Returns the rows of an envelope, with numbers as written. */
function itemsOf(text: string): string[][] {
  let items: unknown[] = [];
  JSON.parse(text, (key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number') return { number: context?.source ?? String(value) };
    if (key === 'items' && Array.isArray(value)) items = value;
    return value;
  });
  return items.map((row) => (Array.isArray(row) ? row.map(valueText) : [valueText(row)]));
}
