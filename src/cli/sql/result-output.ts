/** Executes statements and prints their rows: as tables page by page, or as a stream in a machine format. */
import { EXIT_CODES } from '../../base/exit-codes.ts';
import type { JsonNode } from '../../values/json.ts';
import type { ServiceClient } from '../client.ts';
import { CommandLineError } from '../failures.ts';
import { jsonArrayOf } from '../json-array.ts';
import type { Terminal } from '../program.ts';
import { columnName, recordsText, rowCount, tableText, valueText } from '../table-output.ts';

export const RESULT_FORMATS = ['table', 'csv', 'json', 'ndjson'] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

export interface ResultOptions {
  readonly client: ServiceClient;
  readonly format: ResultFormat;
  /** One line per column instead of one per row. */
  readonly expanded: boolean;
  /** Cache whose schema unqualified names belong to. */
  readonly cache: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly signal?: AbortSignal;
}

/** Maximum number of rows per table; the rest follow in more tables. */
const PAGE_ROWS = 1_000;
/** The service sends rows as lines in one page, as fast as they are read. */
const ALL_ROWS = 2_147_483_647;
/** The only column in the result of a statement that returns no rows. */
const UPDATE_COUNT = 'UPDATED';

/** Executes a statement and writes its result. Throws CommandLineError with the service's text. */
export async function runStatement(sql: string, options: ResultOptions, print: Terminal['print']): Promise<void> {
  const { format } = options;
  if (format !== 'table') return writeRows(sql, options, format, print);
  for await (const text of tables(sql, options)) await print(text);
}

/** Yields the result of a statement as tables, one for each page. */
export async function* tables(sql: string, options: ResultOptions): AsyncGenerator<string> {
  const { client, expanded, signal } = options;
  const first = pageOf((await client.command('qryfldexe', parametersOf(sql, options, PAGE_ROWS), { signal })).response);
  const names = first.columns.map(columnName);
  const updates = updateCount(names, first.rows);
  if (updates !== undefined) {
    yield `OK, ${updates === '1' ? '1 row' : `${updates} rows`} changed\n`;
    return;
  }
  const aligns = first.columns.map(isNumeric);
  let count = 0;
  for (let page = first; ; ) {
    const rows = page.rows.map((row) => row.map(valueText));
    if (expanded) yield recordsText(names, rows, count);
    else if (rows.length > 0 || count === 0) yield tableText(names, rows, aligns);
    count += rows.length;
    if (page.last) break;
    const parameters = { qryId: page.id, pageSize: String(PAGE_ROWS) };
    try {
      page = pageOf((await client.command('qryfetch', parameters, { signal })).response);
    } catch (error) {
      // The user need not wait until the service closes idle cursors.
      if (signal?.aborted === true) await client.command('qrycls', { qryId: page.id }).catch(() => {});
      throw error;
    }
  }
  yield `${rowCount(count)}\n`;
}

function parametersOf(sql: string, { cache, timeoutMs }: ResultOptions, pageSize: number): Record<string, string> {
  return {
    qry: sql,
    pageSize: String(pageSize),
    ...(cache !== undefined && { cacheName: cache }),
    ...(timeoutMs !== undefined && { timeout: String(timeoutMs) }),
  };
}

interface Page {
  readonly id: string;
  readonly columns: readonly JsonNode[];
  readonly rows: ReadonlyArray<readonly JsonNode[]>;
  readonly last: boolean;
}

function pageOf(response: JsonNode): Page {
  const members = response.kind === 'object' ? response.members : new Map<string, JsonNode>();
  const id = members.get('queryId');
  const items = members.get('items');
  const columns = members.get('fieldsMetadata');
  const last = members.get('last');
  if (id?.kind !== 'number' || items?.kind !== 'array') {
    throw new CommandLineError(EXIT_CODES.failed, 'the service did not return a page of rows');
  }
  return {
    id: id.text,
    columns: columns?.kind === 'array' ? columns.items : [],
    rows: items.items.map((row) => (row.kind === 'array' ? row.items : [row])),
    last: last?.kind !== 'boolean' || last.value,
  };
}

function updateCount(names: readonly string[], rows: Page['rows']): string | undefined {
  const value = rows[0]?.[0];
  return names.length === 1 && names[0] === UPDATE_COUNT && rows.length === 1 && value?.kind === 'number'
    ? value.text
    : undefined;
}

const NUMERIC = /^java\.(?:lang\.(?:Byte|Short|Integer|Long|Float|Double)|math\.BigDecimal)$/;

function isNumeric(column: JsonNode): boolean {
  const type = column.kind === 'object' ? column.members.get('fieldTypeName') : undefined;
  return type?.kind === 'string' && NUMERIC.test(type.value);
}

async function writeRows(
  sql: string,
  options: ResultOptions,
  format: Exclude<ResultFormat, 'table'>,
  print: Terminal['print'],
): Promise<void> {
  const parameters = parametersOf(sql, options, ALL_ROWS);
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const chunks = await options.client.rows('qryfldexe', parameters, type, options.signal);
  for await (const chunk of format === 'json' ? jsonArrayOf(chunks) : chunks) await print(chunk);
}
