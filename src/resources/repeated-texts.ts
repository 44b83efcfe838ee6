/** Statement texts that requests repeat with other values. */
import type { Column, Table } from './tables.ts';

/** Keeps one text per table, for the columns of the last request. The engine finds an identical string faster. */
export class RepeatedTexts {
  readonly #known = new WeakMap<Table, { readonly columns: readonly Column[]; readonly text: string }>();

  find(table: Table, columns: readonly Column[]): string | undefined {
    const known = this.#known.get(table);
    if (known === undefined || known.columns.length !== columns.length) return undefined;
    for (let at = 0; at < columns.length; at++) if (known.columns[at] !== columns[at]) return undefined;
    return known.text;
  }

  keep(table: Table, columns: readonly Column[], text: string): void {
    this.#known.set(table, { columns, text });
  }
}
