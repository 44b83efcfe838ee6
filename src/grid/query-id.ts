/** Ids of running statements and scans, for killing them. */

export interface QueryId {
  /** The node that runs it, or undefined for this one. */
  readonly nodeId: string | undefined;
  /** The `queryId` of its first page. */
  readonly number: number;
}

const ID = /^(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_)?([0-9]{1,16})$/i;

/** Parses `NUMBER`, or `NODE_NUMBER` as in SYS.SQL_QUERIES; returns undefined for anything else. */
export function parseQueryId(text: string): QueryId | undefined {
  const [, nodeId, digits] = ID.exec(text) ?? [];
  const number = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(number) ? { nodeId: nodeId?.toLowerCase(), number } : undefined;
}
