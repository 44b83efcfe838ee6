/** Texts of dates and times as users type them: the missing parts are filled in, or name a period. */

const DAY = /^\s*(-?\d+)-(\d{1,2})-(\d{1,2})\s*$/;
const MINUTE = /^\s*(\d{1,2}:\d{1,2})\s*$/;
const DAY_AND_MINUTE = /^\s*(-?\d+-\d{1,2}-\d{1,2})[ T](\d{1,2}:\d{1,2})\s*$/;

/** Returns the stored text of a date or time: seconds that are missing are 0, and a day begins at midnight. */
export function completeTime(argument: string, typed: string): string {
  if (argument === 'time') return typed.replace(MINUTE, '$1:00');
  if (argument !== 'timestamp') return typed;
  if (DAY.test(typed)) return `${typed.trim()} 00:00:00`;
  return typed.replace(DAY_AND_MINUTE, '$1 $2:00').replace(/(\d)T(?=\d)/, '$1 ');
}

/** Returns a value's text, without the fraction of a timestamp that the service writes for whole seconds: `.0`. */
export function withoutZeros(argument: string | undefined, text: string): string {
  return argument === 'timestamp' ? text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') : text;
}

/** A period, as values of a column: its first one, and the first one after it. */
export interface Period {
  readonly first: string;
  readonly next: string;
}

const YEAR_OR_MONTH = /^(\d{4})(?:-(\d{1,2}))?$/;

function dayText(year: number, month: number, day: number): string {
  const date = new Date(Date.UTC(2000, month, day));
  // This constructor takes years before 100 as years since 1900.
  date.setUTCFullYear(year, month, day);
  return date.toISOString().slice(0, date.toISOString().indexOf('T'));
}

/** Returns the period that a year, a month or, in a column of timestamps, a day names, or undefined for other texts. */
export function periodOf(argument: string, text: string): Period | undefined {
  if (argument !== 'date' && argument !== 'timestamp') return undefined;
  const endOf = (day: string): string => completeTime(argument, day);
  const [, year, month] = YEAR_OR_MONTH.exec(text) ?? [];
  if (year !== undefined) {
    const [from, to] = month === undefined ? [0, 12] : [Number(month) - 1, Number(month)];
    if (from < 0 || to > 12) return undefined;
    return { first: endOf(dayText(Number(year), from, 1)), next: endOf(dayText(Number(year), to, 1)) };
  }
  const [, ofDay, ofMonth, day] = DAY.exec(text) ?? [];
  if (argument === 'date' || ofDay === undefined || !/^\d{4}$/.test(ofDay)) return undefined;
  const [first, next] = [0, 1].map((days) => dayText(Number(ofDay), Number(ofMonth) - 1, Number(day) + days));
  const isDay = first?.endsWith(`-${day?.padStart(2, '0')}`) === true && Number(ofMonth) <= 12;
  return isDay && next !== undefined ? { first: endOf(first), next: endOf(next) } : undefined;
}
