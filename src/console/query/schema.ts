/** The schemas, tables, columns and functions that the editor completes. */
import { signal } from '@preact/signals';
import { readCatalog } from '../requests/catalog.ts';
import { isForbidden, type Json, messageOf, missingRight } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';
import { readColumnsOf } from '../rows/known-columns.ts';
import type { Schemas } from './completion.ts';

/** The names of all SQL functions, which the bundle contains. */
declare const SQL_FUNCTIONS: readonly string[];

export const functionNames: readonly string[] = SQL_FUNCTIONS;

/** Whether the signed-in user lacks the right to read all names: only tables with a right are completed. */
export const isSchemaForbidden = signal(false);
/** The right that the signed-in user needs to run any statement; empty if it is there, or not known. */
export const missingToRun = signal('');
const NEEDED = missingRight('missing=command qryfldexe');
let schemas: Schemas = {};

const COLUMNS = `SELECT schema_name, table_name, column_name FROM sys.table_columns`;
const VIEW_COLUMNS = `SELECT schema_name, view_name, column_name FROM sys.view_columns`;
/** Completing more names would take the editor too long. */
const MAX_COLUMNS = 20_000;

let reading = Promise.resolve();

/** Reads the names again. */
export function readSchema(): Promise<void> {
  reading = readNames();
  return reading;
}

/** Returns the names; if none are known yet, waits for those being read. */
export async function knownSchemas(): Promise<Schemas> {
  if (Object.keys(schemas).length === 0) await reading;
  return schemas;
}

/** Returns the tables that a user without access to the system views may read. Throws SvcError. */
async function readKnown(): Promise<Schemas> {
  const entries = await readCatalog();
  const columns = await readColumnsOf(entries);
  const found: Record<string, Record<string, readonly string[]>> = {};
  for (const { name, table } of entries) {
    if (table === undefined) continue;
    found[table.schema] ??= {};
    const ofSchema = found[table.schema];
    if (ofSchema !== undefined) ofSchema[table.name] = (columns.get(name) ?? []).map((each) => each.name);
  }
  return found;
}

async function readNames(): Promise<void> {
  const read = async (qry: string): Promise<ReadonlyArray<readonly Json[]>> => {
    try {
      const rows = await readRows(qry, MAX_COLUMNS);
      isSchemaForbidden.value = false;
      missingToRun.value = '';
      return rows;
    } catch (problem) {
      isSchemaForbidden.value = isForbidden(problem);
      // A user whose roles cannot be read learns it here, and not by running a statement.
      missingToRun.value = missingRight(messageOf(problem)) === NEEDED ? NEEDED : '';
      return [];
    }
  };
  const found: Record<string, Record<string, string[]>> = {};
  const columns = await read(COLUMNS);
  if (isSchemaForbidden.peek()) {
    schemas = await readKnown().catch(() => ({}));
    return;
  }
  for (const names of [...columns, ...(await read(VIEW_COLUMNS))]) {
    const [schema = '', table = '', column = ''] = names.map(String);
    if (column === '_KEY' || column === '_VAL') continue;
    found[schema] ??= {};
    const ofSchema = found[schema];
    ofSchema[table] ??= [];
    ofSchema[table].push(column);
  }
  schemas = found;
}
