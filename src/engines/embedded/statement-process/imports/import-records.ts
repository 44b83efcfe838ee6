/** The table `imports`: progress and parameters of imports with an id, stored with the rows that they describe. */

import { IMPORT_BOUNDS } from '../../../../base/limits.ts';
import type { ImportParameters, StoredImport } from '../../../../bulk/progress.ts';
import type { RejectedRecord } from '../../../../grid/bulk.ts';
import { prepare } from '../../storage/databases.ts';
import type { ImportConnection } from './import-connection.ts';

interface Row {
  readonly parameters: string;
  readonly header: string | null;
  readonly state: string;
  readonly rows: bigint;
  readonly skipped: bigint;
  readonly rejected: bigint;
  readonly offset: bigint;
  readonly line: bigint;
  readonly errors: string;
}

/** Returns an owner's stored import, or undefined if there is none. */
export function readImport(connection: ImportConnection, owner: string, id: string): StoredImport | undefined {
  using statement = prepare<Row>(connection.database, 'SELECT * FROM imports WHERE owner = ? AND id = ?');
  const row = statement.get(owner, id);
  if (row === null) return undefined;
  return {
    parameters: JSON.parse(row.parameters) as ImportParameters,
    header: row.header === null ? undefined : (JSON.parse(row.header) as string[]),
    progress: {
      state: row.state === 'done' ? 'done' : 'open',
      rows: Number(row.rows),
      skipped: Number(row.skipped),
      rejected: Number(row.rejected),
      offset: Number(row.offset),
      line: Number(row.line),
      errors: JSON.parse(row.errors) as RejectedRecord[],
    },
  };
}

/** Stores an import's progress, in the transaction that stored its rows. */
export function writeImport(
  connection: ImportConnection,
  owner: string,
  id: string,
  { parameters, header, progress }: StoredImport,
  nowMs: number,
): void {
  const { state, rows, skipped, rejected, offset, line, errors } = progress;
  connection.statements
    .get(
      `INSERT OR REPLACE INTO imports
      (owner, id, parameters, header, state, rows, skipped, rejected, offset, line, errors, updated)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      owner,
      id,
      JSON.stringify(parameters),
      header === undefined ? null : JSON.stringify(header),
      state,
      rows,
      skipped,
      rejected,
      BigInt(offset),
      BigInt(line),
      JSON.stringify(errors),
      BigInt(Math.floor(nowMs)),
    );
}

export function removeImport(connection: ImportConnection, owner: string, id: string): void {
  connection.statements.get('DELETE FROM imports WHERE owner = ? AND id = ?').run(owner, id);
}

/** Forgets imports that have not been continued for long, and the oldest if there are too many. */
export function forgetImports(connection: ImportConnection, nowMs: number): void {
  connection.statements
    .get('DELETE FROM imports WHERE updated < ?')
    .run(BigInt(Math.floor(nowMs - IMPORT_BOUNDS.rememberedMs)));
  connection.statements
    .get(
      `DELETE FROM imports WHERE (owner, id) IN
      (SELECT owner, id FROM imports ORDER BY updated DESC LIMIT -1 OFFSET ?)`,
    )
    .run(IMPORT_BOUNDS.remembered);
}
