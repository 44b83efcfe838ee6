/**
 * Decides which statements a request thread prepares. Preparing takes time proportional to their text and to the
 * columns of their tables, and so does each of their rows.
 */
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { analyze, type StatementAnalysis, type TableName } from '../../../sql/analysis/analysis.ts';
import { areCheap } from '../../../sql/analysis/cheap-calls.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';

/** Maximum number of characters in a statement that a request thread prepares. */
const MAX_TEXT_CHARACTERS = 8_192;
/** Characters up to which a statement that was not parsed has an error: it cannot have more tokens than characters. */
const MAX_WRONG_TEXT: number = SQL_BOUNDS.parsedTokens;

/** Number of columns that each table counts for besides its own: a join of many narrow tables also takes long. */
const COLUMNS_OF_TABLE = 8;

/** Reports whether a statement is short enough for a request thread to prepare it, or to reject it with an error. */
export function isShort({ length }: string, { calls }: StatementAnalysis, maxUnparsed = MAX_WRONG_TEXT): boolean {
  return calls !== undefined ? areCheap(calls) && length <= MAX_TEXT_CHARACTERS : length <= maxUnparsed;
}

/** Reports whether a statement is narrow enough for a request thread to prepare it. One with an error is. */
export function isNarrow(analysis: StatementAnalysis, schema: string, catalog: EngineCatalog): boolean {
  const { preparedColumns } = SQL_BOUNDS;
  const columnsUpTo = (most: number, { parsed, reads, writes, sources }: StatementAnalysis): number => {
    // A view whose query is too long.
    if (!parsed) return most + 1;
    let widest = 0;
    let columns = 0;
    // A table counts before it is read, so that nested views, and a view of itself, are read only a few times.
    for (const table of [...reads, ...writes]) {
      const left = most - columns - COLUMNS_OF_TABLE;
      if (left < 0) return most + 1;
      const width = COLUMNS_OF_TABLE + columnsOf(table, left);
      widest = Math.max(widest, width);
      columns += width;
      if (columns > most) return columns;
    }
    // Tables are listed once, however often the statement reads them.
    return columns + Math.max(0, sources - reads.length) * Math.max(widest, COLUMNS_OF_TABLE);
  };
  const columnsOf = ({ schema: own, name }: TableName, most: number): number => {
    const found = catalog.findUndescribed(own ?? schema, name);
    if (typeof found === 'number') return found;
    return found === undefined ? 0 : columnsUpTo(most, analyze(found.query));
  };
  return !analysis.parsed || columnsUpTo(preparedColumns, analysis) <= preparedColumns;
}
