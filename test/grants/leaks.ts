/**
 * Runs generated statements of a user who may use one table, and looks for values of all other tables in their results,
 * their errors and the data that they store.
 */
import { SQLiteError } from 'bun:sqlite';
import { GridError } from '../../src/base/errors.ts';
import { SqlFailure } from '../../src/base/sql-failure.ts';
import { qryfldexe } from '../../src/commands/query/qryfldexe.ts';
import { COMMANDS } from '../../src/commands/registry.ts';
import { checkGranted } from '../../src/engines/embedded/shared/granted-tables.ts';
import { entryTable } from '../../src/engines/embedded/sql/entry-table.ts';
import type { GrantedTable, StatementGrant } from '../../src/grid/statement-grant.ts';
import { createPermissions, type Permissions } from '../../src/service/security/permissions.ts';
import { analyze, type TableName } from '../../src/sql/analysis/analysis.ts';
import { parseStatement } from '../../src/sql/syntax/parser.ts';
import { SqlStore } from '../fixtures/embedded/sql-store.ts';
import { ShadowingStatements } from './shadowing-statements.ts';

/** Six digits that no statement computes from the rows of OWN. */
const MARKER = /66600\d/;
/** Tables that an executed statement names at most: nothing interrupts it here. */
const MAX_SOURCES = 9;

export interface Leaks {
  /** Statements that returned, said or stored a value of a table that the user may not read. */
  readonly leaks: readonly string[];
  /** Statements that the check of the text allowed, and the grant did not: the two resolved a name differently. */
  readonly differences: readonly string[];
  readonly denied: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Statements that were only resolved, because they might run for too long. */
  readonly resolved: number;
}

function openStore(): SqlStore {
  const store = new SqlStore();
  for (const sql of [
    'CREATE TABLE OWN(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO OWN VALUES (1, 1), (2, 2), (3, 3)',
    'CREATE TABLE SECRET(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO SECRET VALUES (666001, 666001)',
    'CREATE TABLE "own"(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO "own" VALUES (666002, 666002)',
    'CREATE TABLE "secret"(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO "secret" VALUES (666003, 666003)',
    'CREATE VIEW PEEK AS SELECT V FROM SECRET',
    'CREATE VIEW MINE AS SELECT V FROM OWN',
    'CREATE VIEW HIDDEN AS WITH RECURSIVE OWN AS (SELECT V FROM SECRET) SELECT V FROM OWN',
  ])
    store.run(sql);
  store.schemaNames.add('OTHER');
  for (const sql of [
    'CREATE TABLE OWN(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO OWN VALUES (666004, 666004)',
    'CREATE TABLE SECRET(ID INT PRIMARY KEY, V INT)',
    'INSERT INTO SECRET VALUES (666005, 666005)',
  ])
    store.run(sql, [], 'OTHER');
  store.addVirtual({
    schema: 'SYS',
    name: 'SECRET',
    columns: [{ name: 'V', type: { name: 'INTEGER' } }],
    rows: () => [[666006]],
  });
  return store;
}

function permissionsOver(store: SqlStore): Permissions {
  return createPermissions({
    declaration: { roles: { owner: { caches: { SQL_PUBLIC_OWN: 'write' } } }, users: { ann: ['owner'] } },
    defaultUser: 'svc',
    defaultCache: 'default',
    compatibility: 'contract',
    cacheOfTable: ({ schema = 'PUBLIC', name }) => {
      const found = store.find(schema, name);
      return found?.kind === 'table' ? entryTable(found.table).cache : undefined;
    },
    commands: COMMANDS,
    storedRoles: { find: () => undefined, atHand: () => undefined },
  });
}

/** Returns the objects that a statement may use, or undefined if it is denied. */
type Check = (sql: string) => StatementGrant | undefined;

/** `passes` plants a mistake that the search must find: it lets a statement pass that the check denies. */
export function findLeaks(seed: number, count: number, passes: (sql: string) => boolean = () => false): Leaks {
  const store = openStore();
  const permissions = permissionsOver(store);
  const statements = new ShadowingStatements(seed);
  const check: Check = (sql) => {
    try {
      const grant = permissions.check({ user: 'ann', token: null, subjectId: null }, qryfldexe, { qry: sql });
      if (grant instanceof Promise || grant === undefined) throw new Error(`nothing limits ${sql}`);
      return grant;
    } catch (error) {
      if (!(error instanceof GridError && error.code === 'PERMISSION_DENIED')) throw error;
      return passes(sql) ? GRANT : undefined;
    }
  };
  const leaks: string[] = [];
  const differences: string[] = [];
  const counts = { denied: 0, succeeded: 0, failed: 0, resolved: 0 };
  for (let run = 0; run < count; run++) {
    const sql = statements.next();
    const found = runOne(store, sql, check);
    counts[found.outcome] += 1;
    if (found.leaks) leaks.push(sql);
    if (found.differs) differences.push(sql);
  }
  return { leaks, differences, ...counts };
}

/** Lets a statement pass as if a common table's name never meant a table elsewhere in it. */
export function passesHiddenNames(sql: string): boolean {
  const names = new Set(
    [...sql.matchAll(/(\w+|"\w+")(?:\(V\))? AS \((?!\d)/g)].map(([, name = '']) => name.replaceAll('"', '')),
  );
  const { kind, reads, writes } = analyze(sql);
  return (
    (kind === 'query' || kind === 'insert' || kind === 'merge') &&
    reads.every(({ schema, name }) => schema === undefined && (name === 'OWN' || names.has(name))) &&
    writes.every(({ schema, name }) => schema === undefined && name === 'OWN')
  );
}

/** Lets a statement pass as if the right on a table were one on the entries of every cache. */
export function passesEntries(sql: string): boolean {
  const { kind, reads, writes } = analyze(sql);
  const isOwn = ({ schema, name }: TableName) => schema === undefined && name === 'OWN';
  const isEntries = ({ schema, name }: TableName) => schema !== undefined && name === 'ENTRIES';
  const isOnRows = kind === 'query' || kind === 'insert' || kind === 'merge';
  return isOnRows && writes.every(isOwn) && reads.every((table) => isOwn(table) || isEntries(table));
}

const OWN: readonly GrantedTable[] = [{ cache: 'SQL_PUBLIC_OWN', table: 'PUBLIC.OWN' }];
const GRANT: StatementGrant = { reads: OWN, changes: OWN };

interface Run {
  readonly outcome: 'denied' | 'succeeded' | 'failed' | 'resolved';
  readonly leaks: boolean;
  readonly differs: boolean;
}

/** Runs a statement and undoes what it has changed. */
function runOne(store: SqlStore, sql: string, check: Check): Run {
  const grant = check(sql);
  if (grant === undefined) return { outcome: 'denied', leaks: false, differs: false };
  let differs = false;
  store.database.run('SAVEPOINT one');
  try {
    const prepared = store.prepare(sql);
    differs = !isGranted(() => checkGranted(prepared, grant, 'ann'));
    // It runs nevertheless: each of the two checks must suffice.
    if (mayTakeLong(sql)) return { outcome: 'resolved', leaks: false, differs };
    const { rows } = store.execute(prepared);
    const stored = prepared.kind === 'change' ? store.run('SELECT ID, V FROM OWN').rows : '';
    return { outcome: 'succeeded', leaks: MARKER.test(rows) || MARKER.test(stored), differs };
  } catch (error) {
    if (!(error instanceof SqlFailure || error instanceof SQLiteError)) throw error;
    return { outcome: 'failed', leaks: MARKER.test(String(error)), differs };
  } finally {
    store.database.run('ROLLBACK TO one');
    store.database.run('RELEASE one');
  }
}

/** Reports whether a statement joins much, or has a recursion that need not end. */
function mayTakeLong(sql: string): boolean {
  const { sources } = analyze(sql);
  return sources > MAX_SOURCES || hasEndlessRecursion(parseStatement(sql));
}

function hasEndlessRecursion(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasEndlessRecursion);
  if (typeof node !== 'object' || node === null) return false;
  if ('recursiveReads' in node && node.recursiveReads !== 0 && JSON.stringify(node, asText).includes('"UNION ALL"'))
    return true;
  return Object.values(node).some(hasEndlessRecursion);
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function isGranted(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof GridError && error.code === 'PERMISSION_DENIED') return false;
    throw error;
  }
}
