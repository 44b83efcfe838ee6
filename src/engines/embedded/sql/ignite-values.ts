/** Values of SQL results as Ignite's REST API writes them, if different from the contract. */

import {
  daysOfTimestamp,
  floorDivide,
  MS_PER_DAY,
  NS_PER_MS,
  NS_PER_SECOND,
  nanosOfDay,
} from '../../../sql/types/calendar-arithmetic.ts';
import type { SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';
import { CLASS_OF_BLOB, CLASS_OF_CLOB } from '../../../sql/types/type-order.ts';
import { parseZoned } from '../../../sql/types/zoned-timestamp.ts';
import { civilFromDays, fromJavaDays, toJavaDays } from '../../../values/calendar.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { decodeTimestamp } from '../storage/timestamp-storage.ts';
import type { StorageValue } from '../storage/value-storage.ts';

/** Returns whether Ignite writes values of the type differently. */
export function hasIgniteValue(type: SqlType): boolean {
  return DATES.has(type.name) || type.className === CLASS_OF_CLOB || type.className === CLASS_OF_BLOB;
}

const DATES: ReadonlySet<SqlTypeName> = new Set(['TIMESTAMP_TZ', 'DATE', 'TIMESTAMP']);

/**
 * Returns a time as Java's Date and Timestamp represent it: 64 bits of milliseconds, which overflow to another time,
 * and years before 1 counted backwards from 1, without a sign.
 */
function javaTime(
  days: number,
  nanosOfDay = 0n,
): { readonly year: number; readonly date: string; readonly ms: number } {
  const dayMs = BigInt(MS_PER_DAY);
  const ms = BigInt.asIntN(64, BigInt(toJavaDays(days)) * dayMs + nanosOfDay / NS_PER_MS);
  const { year, month, day } = civilFromDays(fromJavaDays(Number(floorDivide(ms, dayMs))));
  const date = `-${two(month)}-${two(day)}`;
  return { year: year > 0 ? year : 1 - year, date, ms: Number(ms - floorDivide(ms, dayMs) * dayMs) };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** Returns the text of a date. Java writes the last four digits of its year. */
function textOfDate(days: number): string {
  const { year, date } = javaTime(days);
  return String(year).slice(-4).padStart(4, '0') + date;
}

function textOfTimestamp(nanos: bigint): string {
  const { year, date, ms } = javaTime(daysOfTimestamp(nanos), nanosOfDay(nanos));
  const fraction = String(nanosOfDay(nanos) % NS_PER_SECOND).padStart(9, '0');
  const time = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
    .map(two)
    .join(':');
  return `${String(year).padStart(4, '0')}${date} ${time}.${fraction.replace(/0{1,8}$/, '')}`;
}

/** Returns a value of such a type as Ignite writes it: the properties of the Java object. */
export function igniteValue(type: SqlType, storageValue: StorageValue): Value {
  if (storageValue === null) return NULL;
  if (type.name === 'DATE' && typeof storageValue !== 'object')
    return { type: 'string', data: textOfDate(Number(storageValue)) };
  if (type.name === 'TIMESTAMP' && typeof storageValue === 'string')
    return { type: 'string', data: textOfTimestamp(decodeTimestamp(storageValue)) };
  if (type.name !== 'TIMESTAMP_TZ') return { type: 'map', data: [] };
  const { local, offsetMinutes } = parseZoned(String(storageValue));
  const { year, month, day } = civilFromDays(daysOfTimestamp(local));
  // H2 packs the date into one number.
  const ymd = year * 512 + month * 32 + day;
  const members: ReadonlyArray<readonly [string, bigint]> = [
    ['timeZoneOffsetMins', BigInt(offsetMinutes)],
    ['year', BigInt(year)],
    ['month', BigInt(month)],
    ['day', BigInt(day)],
    ['ymd', BigInt(ymd)],
    ['nanosSinceMidnight', nanosOfDay(local)],
  ];
  return {
    type: 'map',
    data: members.map(([name, data]) => [
      { type: 'string', data: name },
      { type: 'long', data },
    ]),
  };
}
