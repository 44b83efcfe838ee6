/** A table row: translates each method to statements on its primary key. */
import { entityTag, listsTag } from '../base/entity-tag.ts';
import { gridError } from '../base/errors.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Outcome } from '../service/request.ts';
import { readJson } from '../values/json.ts';
import { decodedSegment, methodsOfResource } from './address.ts';
import {
  answered,
  answeredWithoutBody,
  conditionOf,
  isAny,
  preferencesOf,
  RETURNED,
  rejected,
  requestedRepresentation,
  unmet,
} from './answers.ts';
import type { ResourceCall } from './call.ts';
import { CSV_MEDIA, JSON_MEDIA, type ResourceMethod } from './declarations.ts';
import type { PageFormat } from './pages.ts';
import { selectedBy } from './reading.ts';
import { RepeatedTexts } from './repeated-texts.ts';
import { argumentIn, type SentRow, sentRow } from './row-bodies.ts';
import { insertSql, updateSql } from './rows.ts';
import {
  type Argument,
  argumentOf,
  argumentOfNode,
  columnList,
  isSameValue,
  joinedBy,
  type Sql,
  sql,
  valueList,
} from './sql.ts';
import { change, changedRows, rowCountOf, runStatement, textOf, withTable } from './statements.ts';
import type { Selection, Table } from './tables.ts';

/** A row that a request addresses. */
interface Row {
  readonly call: ResourceCall;
  readonly table: Table;
  /** The condition on its key. Its arguments are the values of the key columns. */
  readonly where: Sql;
}

export function rowAnswer(call: ResourceCall): MaybePromise<Outcome> {
  const handler = METHODS[call.method];
  if (handler === undefined) throw gridError('METHOD_NOT_ALLOWED', methodsOfResource('row'));
  return withTable(call, (_, table) => {
    const where = sql(table.keySql, keyOf(call, table));
    for (const [name] of call.pairs) {
      if (call.method === 'GET' && name === 'select') continue;
      throw gridError('RESOURCE_INVALID', `parameter ${name}`, `${call.method} of a row does not have it`);
    }
    return handler({ call, table, where });
  });
}

/** Returns the values of the key columns in the address. */
function keyOf({ request }: ResourceCall, { key }: Table): readonly Argument[] {
  const sent = request.address.segments[1] ?? '';
  const texts = key.length === 1 ? [sent] : sent.split(',');
  if (texts.length !== key.length) {
    const names = key.map(({ name }) => name).join(',');
    throw gridError('RESOURCE_INVALID', 'key', `write the values of ${names} with commas between them`);
  }
  return key.map((column, index) => argumentOf(column, decodedSegment(texts[index] ?? ''), `key ${column.name}`));
}

const METHODS: Readonly<Partial<Record<ResourceMethod, (row: Row) => MaybePromise<Outcome>>>> = {
  GET(row) {
    const { call, table } = row;
    const select = call.pairs[0]?.[1];
    const selected = selectedBy(table, select);
    return chain(read(row, selected, call.accepted === CSV_MEDIA ? 'csv' : 'ndjson'), (outcome) => {
      if (outcome.successStatus !== 0) return outcome;
      return chain(textOf(call, outcome), (text) => {
        if (rowCountOf(outcome) > 0) {
          const body = call.accepted === JSON_MEDIA ? text.slice(0, -1) : text;
          return requestedRepresentation(outcome, body, call.request, call.accepted);
        }
        const expected = call.request.header('if-match') !== null;
        return rejected(
          expected ? gridError('PRECONDITION_FAILED', 'If-Match') : gridError('ROW_NOT_FOUND'),
          undefined,
          outcome,
        );
      });
    });
  },

  PUT(row) {
    const { call, table } = row;
    const sent = bodyOf(row);
    const condition = conditionOf(call);
    const whole = wholeRow(row, sent);
    if (condition === 'absent') return insertUnless(row, whole, () => unmet('If-None-Match'));
    if (condition !== undefined) return changeIf(row, condition, whole);
    return withCurrent(row, (former) => {
      const merge = (status: 201 | 204) =>
        change(call, mergeSql(table, whole), (merged) => stored(row, merged, status));
      if (former !== undefined) return merge(204);
      // A retry with the same key has to be the same statement.
      if (call.request.header('idempotency-key') !== null) return merge(201);
      // Another request may have stored the row in between: only one of them is told that it is new.
      return insertUnless(row, whole, () => merge(204));
    });
  },

  PATCH(row) {
    const { call } = row;
    const condition = conditionOf(call);
    const sent = bodyOf(row);
    if (condition !== undefined) return changeIf(row, condition, sent);
    return changeRow(row, updateByKey(row, sent), () => rejected(gridError('ROW_NOT_FOUND')));
  },

  DELETE(row) {
    const { call, table } = row;
    const condition = conditionOf(call);
    if (condition !== undefined) return changeIf(row, condition, undefined);
    const removal = sql(`DELETE FROM ${table.quoted} WHERE `);
    const isMissing = () => rejected(gridError('ROW_NOT_FOUND'));
    if (!preferencesOf(call.request).representation || preferencesOf(call.request).dryRun) {
      return changeRow(row, joinedBy('', [removal, row.where]), isMissing);
    }
    return withCurrent(row, (former) => {
      if (former === undefined) return isMissing();
      // Removes only the row that is returned.
      return changeRow(row, joinedBy('', [removal, equalSql(row, former)]), isMissing, former);
    });
  },
};

const NULL: Argument = { text: undefined, type: 'string' };

function read({ call, table, where }: Row, selection: Selection, format: PageFormat): MaybePromise<Outcome> {
  // The same string is found faster: the engine caches statements by their text.
  const text = selection === table.all ? table.rowSql : `${selection.sql} WHERE ${where.text}`;
  return runStatement(call, { text, args: where.args }, 2, format);
}

/** Continues with the row as GET returns it without selection, or undefined if there is none. */
function withCurrent(row: Row, next: (former: string | undefined) => MaybePromise<Outcome>): MaybePromise<Outcome> {
  return chain(read(row, row.table.all, 'ndjson'), (outcome) => {
    if (outcome.successStatus !== 0) return outcome;
    return chain(textOf(row.call, outcome), (line) => next(line === '' ? undefined : line.slice(0, -1)));
  });
}

/** Returns the row in the body, which may repeat the key in the address. */
function bodyOf({ call, table, where }: Row): SentRow {
  const sent = sentRow(call, table);
  for (let index = 0; index < table.key.length; index++) {
    const column = table.key[index];
    const given = column && argumentIn(sent, column);
    const addressed = where.args[index];
    if (given === undefined || (addressed !== undefined && isSameValue(given, addressed))) continue;
    throw gridError(
      'RESOURCE_INVALID',
      `member ${column?.name}`,
      'the address has another key, which cannot be changed',
    );
  }
  return sent;
}

/**
 * Returns a row with all columns, NULL where the body lacks one, and the key in the address. Throws RESOURCE_INVALID if
 * the body lacks a column that cannot be NULL: PUT replaces all of them.
 */
function wholeRow({ table: { columns, key }, where }: Row, sent: SentRow): SentRow {
  const found = columns.map((column) => argumentIn(sent, column) ?? where.args[key.indexOf(column)]);
  const missing = columns.filter(({ isNullable }, at) => !isNullable && found[at] === undefined);
  if (missing.length === 0) return { columns, args: found.map((argument) => argument ?? NULL) };
  const names = missing.map(({ name }) => name).join(', ');
  const reason = `PUT replaces the whole row, and ${names} is missing, which cannot be NULL`;
  throw gridError('RESOURCE_INVALID', 'body', `${reason}; PATCH changes single columns`);
}

/** Changes a row, or removes it, if it has one of the tags. */
function changeIf(row: Row, tags: string, sent: SentRow | undefined): MaybePromise<Outcome> {
  const { call, table } = row;
  if (call.request.header('idempotency-key') !== null) {
    throw gridError('IDEMPOTENCY_UNSUPPORTED', 'If-Match', 'the condition makes a retry safe: it is answered with 412');
  }
  const statement = sent === undefined ? sql(`DELETE FROM ${table.quoted} WHERE `) : assignments(row, sent);
  if (isAny(tags)) return changeRow(row, joinedBy('', [statement, row.where]), () => unmet('If-Match'));
  return withCurrent(row, (former) => {
    if (former === undefined || !listsTag(tags, entityTag(former), false)) return unmet('If-Match');
    return chain(
      changeRow(row, joinedBy('', [statement, equalSql(row, former)]), () => unmet('If-Match')),
      // A cluster reports that another change came in between.
      (outcome) => (outcome.failure?.code === 'SQL_CONFLICT' ? unmet('If-Match') : outcome),
    );
  });
}

const updates = new RepeatedTexts();

function updateByKey(row: Row, sent: SentRow): Sql {
  const { table, where } = row;
  const known = updates.find(table, sent.columns);
  if (known !== undefined) return { text: known, args: sent.args.concat(where.args) };
  const update = joinedBy('', [assignments(row, sent), where]);
  // Key columns are left out of an update, so their values are not among its arguments.
  if (update.args.length === sent.args.length + where.args.length) {
    updates.keep(table, sent.columns, update.text);
  }
  return update;
}

/** Returns an update of the columns that are not in the key, which no statement can change. */
function assignments({ table }: Row, sent: SentRow): Sql {
  const isOther = (_: unknown, at: number): boolean => !table.key.some((column) => column === sent.columns[at]);
  const columns = sent.columns.filter(isOther);
  if (columns.length === 0) throw gridError('RESOURCE_INVALID', 'body', 'it has no column outside of the key');
  return updateSql(table, { columns, args: sent.args.filter(isOther) });
}

/** Returns the condition on the key and on a row's previous values. */
function equalSql({ table, where }: Row, former: string): Sql {
  const node = readJson(former, JSON_BOUNDS.values);
  const members = node.kind === 'object' ? node.members : new Map();
  const conditions = table.columns.flatMap((column) => {
    const { name, quoted, type } = column;
    const member = members.get(name);
    // A column without a scalar type cannot be compared.
    if (table.key.includes(column) || type === undefined || member === undefined) return [];
    const argument = argumentOfNode(column, member, `column ${name}`);
    return argument.text === undefined ? sql(`${quoted} IS NULL`) : sql(`${quoted} = ?`, [argument]);
  });
  return joinedBy(' AND ', [where, ...conditions]);
}

function changeRow(row: Row, statement: Sql, isMissing: () => Outcome, former?: string): MaybePromise<Outcome> {
  return change(row.call, statement, (outcome, text) => {
    if (changedRows(text) === 0) return isMissing();
    if (former !== undefined) return answered(outcome, 200, former, RETURNED);
    return row.call.method === 'DELETE' ? answeredWithoutBody(outcome, 204) : stored(row, outcome, 204);
  });
}

/** Responds with a status, or with the stored row if the request prefers that. */
function stored(row: Row, outcome: Outcome, status: 201 | 204): MaybePromise<Outcome> {
  const headers = status === 201 ? { Location: row.call.request.path } : undefined;
  if (!preferencesOf(row.call.request).representation) return answeredWithoutBody(outcome, status, headers);
  return chain(read(row, row.table.all, 'ndjson'), (found) => {
    if (found.successStatus !== 0) return answeredWithoutBody(outcome, status, headers);
    return chain(textOf(row.call, found), (line) => {
      const text = line.slice(0, -1);
      if (text === '') return answeredWithoutBody(outcome, status, headers);
      const more = { ETag: entityTag(text), ...RETURNED, ...headers };
      return answered(outcome, status === 201 ? 201 : 200, text, more);
    });
  });
}

/** Inserts a row; continues with `exists` if there is one with its key. */
function insertUnless(row: Row, whole: SentRow, exists: () => MaybePromise<Outcome>): MaybePromise<Outcome> {
  return chain(
    change(row.call, insertSql(row.table, whole), (outcome) => stored(row, outcome, 201)),
    (outcome) => (outcome.failure?.code === 'SQL_CONFLICT' ? exists() : outcome),
  );
}

function mergeSql(table: Table, whole: SentRow): Sql {
  const { columns, args } = whole;
  return sql(`MERGE INTO ${table.quoted} (${columnList(columns)}) VALUES ${valueList(columns)}`, args);
}
