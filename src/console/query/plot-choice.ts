/** Which plot suits the columns of a result. */
import { isNumberType } from '../rows/row-texts.ts';

export type PlotKind = 'line' | 'bar' | 'scatter' | 'histogram';

export interface PlotChoice {
  readonly kind: PlotKind;
  /** The column of the x axis. */
  readonly x: number;
  /** The column whose values are drawn. */
  readonly y: number;
}

interface PlottedColumn {
  readonly name: string;
  readonly type: string;
  /** False if its numbers cannot be drawn, or there are none. */
  readonly isDrawable?: boolean;
}

const TIMES = /(?:\.|^)(?:Date|Time|Timestamp)$/;
/** A number that identifies a row rather than measuring something. */
const KEY_NAME = /^(?:.*_)?id$/i;

/**
 * Returns lines over times, bars for texts, lines over the first number if there are two, and otherwise the
 * distribution of the only column of numbers; undefined without one.
 */
export function choosePlot(columns: readonly PlottedColumn[]): PlotChoice | undefined {
  const where = (matches: (column: PlottedColumn) => boolean): number[] =>
    columns.flatMap((column, at) => (matches(column) ? [at] : []));
  const numbers = where(({ type, isDrawable }) => isNumberType(type) && isDrawable !== false);
  const measured = numbers.filter((at) => !KEY_NAME.test(columns[at]?.name ?? ''));
  const [first] = numbers;
  if (first === undefined) return undefined;
  const [time] = where(({ type }) => TIMES.test(type));
  const [text] = where(({ type }) => !isNumberType(type) && !TIMES.test(type));
  const y = measured[0] ?? first;
  if (time !== undefined) return { kind: 'line', x: time, y };
  if (text !== undefined) return { kind: 'bar', x: text, y };
  const other = measured.find((at) => at !== first) ?? numbers.find((at) => at !== first);
  return other === undefined ? { kind: 'histogram', x: first, y: first } : { kind: 'line', x: first, y: other };
}
