/**
 * Encodes timestamps as text: `2020-01-02 03:04:05.123`, without trailing zeros. The texts sort chronologically. Years
 * beyond 9999 are `:` and ten digits, years below 0 are `!` and ten digits.
 */
import { civilFromDays, daysFromCivil } from '../../../values/calendar.ts';

const SECOND_NS = 1_000_000_000n;
const DAY_SECONDS = 86_400n;

/** Returns the text of a time in nanoseconds since 1970. */
export function encodeTimestamp(ns: bigint): string {
  let seconds = ns / SECOND_NS;
  let fraction = ns % SECOND_NS;
  if (fraction < 0n) {
    seconds -= 1n;
    fraction += SECOND_NS;
  }
  let days = seconds / DAY_SECONDS;
  let rest = seconds % DAY_SECONDS;
  if (rest < 0n) {
    days -= 1n;
    rest += DAY_SECONDS;
  }
  const ofDay = Number(rest);
  const clock = `${two(Math.trunc(ofDay / 3600))}:${two(Math.trunc(ofDay / 60) % 60)}:${two(ofDay % 60)}`;
  const text = `${encodeDay(Number(days))} ${clock}`;
  if (fraction === 0n) return text;
  return `${text}.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

const FAR_YEARS = 10_000_000_000;

function encodeDay(days: number): string {
  const { year, month, day } = civilFromDays(days);
  const rest = `-${two(month)}-${two(day)}`;
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0') + rest;
  return (year > 9999 ? `:${String(year).padStart(10, '0')}` : `!${String(FAR_YEARS + year).padStart(10, '0')}`) + rest;
}

/** Parses the output of {@link encodeTimestamp} to nanoseconds. */
export function decodeTimestamp(text: string): bigint {
  const mark = text.charCodeAt(0);
  const far = mark === 58 || mark === 33;
  const at = far ? 11 : 4;
  const year = far ? Number(text.slice(1, 11)) - (mark === 33 ? FAR_YEARS : 0) : Number(text.slice(0, 4));
  const days = daysFromCivil(year, Number(text.slice(at + 1, at + 3)), Number(text.slice(at + 4, at + 6)));
  const ofDay =
    Number(text.slice(at + 7, at + 9)) * 3600 +
    Number(text.slice(at + 10, at + 12)) * 60 +
    Number(text.slice(at + 13, at + 15));
  // A double cannot count the seconds of distant years.
  const seconds = far ? BigInt(days) * DAY_SECONDS + BigInt(ofDay) : BigInt(days * 86_400 + ofDay);
  const fraction = text.length > at + 15 ? BigInt(text.slice(at + 16).padEnd(9, '0')) : 0n;
  return seconds * SECOND_NS + fraction;
}
