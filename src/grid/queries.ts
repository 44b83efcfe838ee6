/** The port's queries: requests, pages of rows, and cursors. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { Notation } from '../values/notation.ts';
import type { Value } from '../values/value.ts';
import type { ExportForm } from './bulk.ts';
import type { DefinitionPreviews, DefinitionStatement } from './definition-changes.ts';
import type { Knowledge } from './knowledge.ts';
import type { QueryId } from './query-id.ts';
import type { StatementGrant } from './statement-grant.ts';

/** The user who runs a query and owns its cursor. The empty string is the anonymous user. */
export type Owner = string;

/**
 * The sender of a query. Most queries run immediately and need nothing from it, so its functions are called on demand.
 */
export interface QuerySender {
  /** Returns the client whose share of cursors the query uses. */
  tenant(): Tenant;
  /** Returns the objects that system views show; undefined means everything. */
  knowledge(): { readonly knows: Knowledge } | undefined;
  /** Returns the objects that the statement may read and change; undefined means everything. */
  grant(): StatementGrant | undefined;
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal;
}

/** Returns a sender who may do and know everything. By default it waits for the response. */
export function senderOf(tenant: Tenant, signal = new AbortController().signal): QuerySender {
  return { tenant: () => tenant, knowledge: () => undefined, grant: () => undefined, signal: () => signal };
}

/** Facts about the sender, for a query that runs in another thread. */
interface SenderData {
  readonly tenant?: Tenant;
  readonly knows?: Knowledge;
  readonly grant?: StatementGrant;
}

interface QueryRequestBase {
  readonly cache: string;
  readonly owner: Owner;
  /** Who sends the query. Defaults to the owner, who may do and know everything and waits for the response. */
  readonly sender?: QuerySender;
  /** Rows per page; 0 means an empty first page. */
  readonly pageSize: number;
  /** Format of {@link QueryPage.rows}. */
  readonly format: RowFormat;
  /** How all pages write numbers and dates; the usual form if undefined. */
  readonly notation?: Notation | undefined;
  /** 0 or undefined means the engine's default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Writes the rows for an import, in `ndjson` or `csv`, without a query's limits on time and size. A scan adds the
   * types of keys and values, and the deadlines that the engine knows.
   */
  readonly export?: ExportForm;
}

/** `objects` is a JSON array of objects, one per line; only resources use it. */
export type RowFormat = 'json' | 'objects' | 'ndjson' | 'csv';

/** A query of fields (qryfldexe). */
export interface FieldsQuery extends QueryRequestBase, DefinitionStatement {
  readonly kind: 'fields';
  readonly args: readonly Value[];
  readonly maxRows?: number | undefined;
  readonly distributedJoins?: boolean;
  /**
   * Whether the response follows Ignite where svc differs: a timestamp with a time zone is an object, and a
   * distributed join needs an index.
   */
  readonly asIgnite?: boolean;
}

/**
 * A type query: entries whose values have one type (qryexe). `sql` is a condition or starts with where, order by, from
 * or select *.
 */
export interface TypeQuery extends QueryRequestBase {
  readonly kind: 'type';
  readonly typeName: string;
  readonly sql: string;
  readonly args: readonly Value[];
  readonly distributedJoins?: boolean;
}

/** A scan of a cache (qryscanexe), optionally with a predicate of the configuration, by its class name. */
export interface ScanQuery extends QueryRequestBase {
  readonly kind: 'scan';
  readonly className: string | undefined;
  /** Entries to skip first; single-node engines only. Defaults to none. */
  readonly skip?: number | undefined;
}

export type QueryRequest = FieldsQuery | TypeQuery | ScanQuery;

export type FieldsQueryData = Omit<FieldsQuery, 'sender'> & SenderData;
/** A query as sent to other threads. */
export type QueryData = FieldsQueryData | ((Omit<TypeQuery, 'sender'> | Omit<ScanQuery, 'sender'>) & SenderData);

/** Returns a query with the facts about its sender. */
export function dataOf(query: FieldsQuery): FieldsQueryData;
export function dataOf(query: QueryRequest): QueryData;
export function dataOf({ sender, ...others }: QueryRequest): QueryData {
  const knows = sender?.knowledge()?.knows;
  const grant = sender?.grant();
  return {
    ...others,
    ...(sender && { tenant: sender.tenant() }),
    ...(knows && { knows }),
    ...(grant && { grant }),
  };
}

export interface Column {
  readonly fieldName: string;
  /** Java class name (docs/spec/ignite-cluster.md 6.4). */
  readonly fieldTypeName: string;
  readonly schemaName: string;
  readonly typeName: string;
}

/** A page of rows, already serialized so that it is never held twice. */
export interface QueryPage {
  readonly queryId: number;
  /** Empty for type queries and for later pages. */
  readonly columns: readonly Column[];
  /**
   * The rows: in json, array elements separated by commas (`[1,"a"],[2,"b"]`, or `{"key":..,"value":..}`); in objects,
   * an array of objects; in ndjson and csv, one line per row. Large pages are delivered in chunks.
   */
  readonly rows: string | AsyncIterable<string>;
  /** Returns the properties that are known only after reading all of `rows`. */
  end(): { readonly last: boolean; readonly rowCount: number };
}

export interface Queries extends DefinitionPreviews {
  /** Runs the query and returns its first page. A cursor closes itself when it has no more rows. */
  execute(request: QueryRequest): MaybePromise<QueryPage>;
  /** Returns the next page. Throws QUERY_NOT_FOUND, even for another owner's cursor. */
  fetch(
    queryId: number,
    pageSize: number,
    owner: Owner,
    format: RowFormat,
    signal?: AbortSignal,
  ): MaybePromise<QueryPage>;
  /** Closes the cursor and cancels its statement. Ignores unknown cursors and other owners' cursors. */
  close(queryId: number, owner: Owner): MaybePromise<void>;
  /**
   * Ends a running statement or scan, whose request fails with QUERY_CANCELLED, or an open cursor. Resolves when it is
   * gone. Throws QUERY_NOT_FOUND, even for another owner's unless the killer is an administrator, and NOT_SUPPORTED.
   */
  kill(id: QueryId, killer: QueryKiller): MaybePromise<void>;
}

/** Who kills a query. */
export interface QueryKiller {
  readonly owner: Owner;
  readonly isAdministrator: boolean;
}
