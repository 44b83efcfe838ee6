/**
 * Texts of numbers, sizes and durations in the browser's locale, for people, and of values in the exact form in which
 * they are sent.
 */
import { Decimal } from '../../client/exact-json.ts';

/** Undefined means the browser's. */
export const LOCALE = undefined;
const NUMBERS = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 });
/** Not 0, however small. */
const SMALL = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });
const SMALL_BELOW = 0.1;
const TENTHS = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const SHORT = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Returns a size in its largest unit: `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${formatRounded(value)} ${UNITS[unit]}`;
}

/** Returns a number with thousands separators, or a dash if it is not finite. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return (value !== 0 && Math.abs(value) < SMALL_BELOW ? SMALL : NUMBERS).format(value);
}

/** Returns a measured number with few digits, which can be read at a glance if it changes every few seconds. */
export function formatRounded(value: number): string {
  const size = Math.abs(value);
  if (size < 1) return formatNumber(value);
  return formatNumber(size < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}

/** Returns a number with its noun: `1 row`, `3,000 rows`. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : several}`;
}

/** Returns a rate with its noun: `1 change a second`, `2.5 changes a second`. */
export function formatPerSecond(rate: number, noun: string): string {
  const text = formatRounded(rate);
  return `${text} ${noun}${text === formatRounded(1) ? '' : 's'} a second`;
}

/** Returns a number with one decimal: `2.0`. */
export function formatTenths(value: number): string {
  return TENTHS.format(value);
}

/** Returns a number in few characters: `1.2K`, `3M`. */
export function formatShort(value: number): string {
  return SHORT.format(value);
}

/** Returns a time in milliseconds with its unit, or a dash if it is not finite. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  return ms >= 1_000 ? `${formatRounded(ms / 1_000)} s` : `${formatRounded(ms)} ms`;
}

/** Returns a duration in its two largest units: `3 d 4 h`, `5 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${formatNumber(count)} ${unit}`).join(' ');
}

/** Keeps numbers and their units in one line. */
export function withoutBreaks(text: string): string {
  return text.replaceAll(/(\d) (?=[%\p{Letter}])/gu, '$1\u00a0');
}

/** Returns the text of a value with all its digits: JSON for objects, lists and null. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Decimal) return value.text;
  return writeJson(value, 0);
}

/** Returns JSON with exact numbers; `indent` spaces for each level, none on one line. */
export function writeJson(value: unknown, indent: number, level = 0): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Decimal) return value.text;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((each) => writeJson(each, indent, level + 1))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}${writeJson(each, indent, level + 1)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (members.length === 0 || indent === 0) return `${open}${members.join(',')}${close}`;
  const margin = `\n${' '.repeat(indent * (level + 1))}`;
  return `${open}${margin}${members.join(`,${margin}`)}\n${' '.repeat(indent * level)}${close}`;
}
