/** Resources of `svc mcp`: the definitions of tables, `svc://tables/NAME`, and the errors, `svc://errors/CODE`. */
import type { Resource, ResourceTemplate, TextResourceContents } from '@modelcontextprotocol/sdk/types.js';
import { describedErrors, explainedError } from '../documentation/error-guide.ts';
import { ProtocolError, RESOURCE_NOT_FOUND } from './protocol-error.ts';
import { readTable, readTables, UnknownTableError, writtenName } from './table-definitions.ts';
import type { ToolClient } from './tool-client.ts';

const TABLES = 'svc://tables/';
const ERRORS = 'svc://errors/';
const JSON_TYPE = 'application/json';

/** Returns the values that complete a variable. */
export type Candidates = (client: ToolClient, signal: AbortSignal) => Promise<readonly string[]>;

/** Templates of addresses, with the completion of their variables. */
export const RESOURCE_TEMPLATES: ReadonlyArray<{
  readonly template: ResourceTemplate;
  readonly candidates: Candidates;
}> = [
  {
    template: {
      uriTemplate: `${TABLES}{name}`,
      name: 'table',
      description: 'The columns and indexes of a table or view, whose name is written as in a statement.',
      mimeType: JSON_TYPE,
    },
    candidates: tableNames,
  },
  {
    template: {
      uriTemplate: `${ERRORS}{code}`,
      name: 'error',
      description: 'When an error occurs and what to do, by the code that the error has.',
      mimeType: JSON_TYPE,
    },
    candidates: async () => describedErrors().map(({ code }) => code),
  },
];

/** Returns the names of all tables and views as statements write them. */
export async function tableNames(client: ToolClient, signal: AbortSignal): Promise<readonly string[]> {
  return (await readTables(client, signal)).map(writtenName);
}

/** Returns a resource for each table and view. */
export async function tableResources(client: ToolClient, signal: AbortSignal): Promise<Resource[]> {
  return (await readTables(client, signal)).map((table) => ({
    uri: addressOf(table),
    name: writtenName(table),
    description: `The columns and indexes of a ${table.kind}.`,
    mimeType: JSON_TYPE,
  }));
}

function addressOf(table: { readonly schema: string; readonly name: string }): string {
  return `${TABLES}${encodeURIComponent(writtenName(table))}`;
}

/** Reads a table, whose name is written as in a statement, as a resource. */
export async function tableContents(
  written: string,
  client: ToolClient,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly resource: TextResourceContents }> {
  const table = await readTable(client, written, signal).catch((error: unknown) => {
    throw error instanceof UnknownTableError ? new ProtocolError(RESOURCE_NOT_FOUND, error.message) : error;
  });
  const resource = { uri: addressOf(table), mimeType: JSON_TYPE, text: JSON.stringify(table) };
  return { name: writtenName(table), resource };
}

/** Reads a resource. Throws ProtocolError if there is none, and ToolFailure. */
export async function readResource(
  uri: string,
  client: ToolClient,
  signal: AbortSignal,
): Promise<TextResourceContents> {
  if (uri.startsWith(TABLES)) return (await tableContents(decoded(uri, TABLES), client, signal)).resource;
  if (!uri.startsWith(ERRORS)) {
    const known = RESOURCE_TEMPLATES.map(({ template }) => template.uriTemplate).join(' and ');
    throw new ProtocolError(RESOURCE_NOT_FOUND, `there is no resource ${uri}; there are ${known}`);
  }
  const code = decoded(uri, ERRORS);
  const error = explainedError(code);
  if (error === undefined) throw new ProtocolError(RESOURCE_NOT_FOUND, `no error has the code ${code}`);
  return { uri, mimeType: JSON_TYPE, text: JSON.stringify(error) };
}

function decoded(uri: string, prefix: string): string {
  try {
    return decodeURIComponent(uri.slice(prefix.length));
  } catch {
    throw new ProtocolError(RESOURCE_NOT_FOUND, `the address ${uri} is not encoded correctly`);
  }
}
