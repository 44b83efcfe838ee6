/** Reads rows: the parts shared by requests for the same columns of a table in the same order. */
import { gridError } from '../base/errors.ts';
import { columnNamed, splitNames, unquoted } from './filters.ts';
import { cursorMark, type OrderTerm, orderSql, readOrder } from './paging.ts';
import { type Column, KEPT_CHARACTERS, type Selected, type Selection, selectionOf, type Table } from './tables.ts';

/** Returns the columns in a parameter, named as written there; without a parameter, all columns. */
export function selectedBy(table: Table, written: string | undefined): Selection {
  if (written === undefined || written === '*') return table.all;
  const selected = splitNames(written).map((each) => ({
    column: columnNamed(table, each, 'parameter select'),
    name: table.column(each) === undefined ? unquoted(each) : each,
  }));
  const path = selected.find(({ column }) => column.forms !== undefined)?.name;
  if (path !== undefined) {
    const reason = `${path} is a part of the value; it has ${table.columns.map(({ name }) => name).join(', ')}`;
    throw gridError('RESOURCE_INVALID', 'parameter select', reason);
  }
  if (new Set(selected.map(({ name }) => name)).size < selected.length) {
    throw gridError('RESOURCE_INVALID', 'parameter select', 'it names a column twice');
  }
  return selectionOf(selected, table.quoted);
}

/** Maximum number of readings cached per table. */
const MAX_READINGS = 10;

const readings = new WeakMap<Table, Map<string, Reading>>();

/** Returns the reading for the parameters `select` and `order`. Throws RESOURCE_INVALID. */
export function readingOf(table: Table, select = '*', order = ''): Reading {
  const key = select === '*' && order === '' ? '' : `${order.length} ${order}${select}`;
  let known = readings.get(table);
  const found = known?.get(key);
  if (found !== undefined) return found;
  const reading = new Reading(table, selectedBy(table, select), readOrder(table, order));
  if (key.length > KEPT_CHARACTERS) return reading;
  if (known === undefined || known.size === MAX_READINGS) {
    known = new Map();
    readings.set(table, known);
  }
  known.set(key, reading);
  return reading;
}

export class Reading {
  readonly terms: readonly OrderTerm[];
  /** The columns that a statement reads: the response's and, at the end, those that only a cursor needs. */
  readonly selection: Selection;
  /** The number of columns that only a cursor needs. */
  readonly hidden: number;
  readonly orderSql: string;
  /** The prefix of its cursors. */
  readonly mark: string;
  /** The positions of the order's columns. */
  readonly #places: readonly number[];
  /** The statement requested last. */
  #last: { readonly where: string | undefined; readonly limit: number; readonly text: string } | undefined;

  constructor(table: Table, shown: Selection, terms: readonly OrderTerm[]) {
    const hidden = hiddenColumns(shown, terms);
    const selection = hidden.length === 0 ? shown : selectionOf([...shown.selected, ...hidden], table.quoted);
    this.terms = terms;
    this.selection = selection;
    this.hidden = hidden.length;
    this.orderSql = orderSql(terms);
    this.mark = cursorMark(this.orderSql);
    // The columns that only the cursor needs come last.
    this.#places = terms.map((term) => selection.selected.findLastIndex(({ column }) => column === term.column));
  }

  /**
   * Returns the statement for a page. Requests repeat it with other arguments, and caches keyed by statement find the
   * same string faster than an equal one.
   */
  statement(where: string | undefined, limit: number): string {
    const last = this.#last;
    if (last !== undefined && last.where === where && last.limit === limit) return last.text;
    const condition = where === undefined ? '' : ` WHERE ${where}`;
    const text = `${this.selection.sql}${condition}${this.orderSql} LIMIT ${limit}`;
    this.#last = { where, limit, text };
    return text;
  }

  /** Returns the cursor after a row; `jsonOf` returns the JSON of its columns by position. */
  cursorAfter(jsonOf: (place: number) => string): string {
    return `${this.mark}${this.#places.map(jsonOf).join(',')}`;
  }
}

/**
 * Returns the columns that the cursor needs and the request has not selected. Columns with nested objects are read
 * again: the last member is found without reading the rest.
 */
function hiddenColumns({ selected, isPlain }: Selection, terms: readonly OrderTerm[]): readonly Selected[] {
  const isShown = (column: Column) => selected.some((each) => each.column === column);
  return terms.flatMap(({ column }, index) =>
    isPlain && isShown(column) ? [] : [{ column, name: `$cursor${index}` }],
  );
}
