/** Values of SQL results as Ignite's REST API writes them, where that differs from the contract. */

import { daysOfTimestamp, nanosOfDay } from '../../../sql/types/calendar-arithmetic.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { CLASS_OF_BLOB, CLASS_OF_CLOB } from '../../../sql/types/type-order.ts';
import { parseZoned } from '../../../sql/types/zoned-timestamp.ts';
import { civilFromDays } from '../../../values/calendar.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { StorageValue } from '../storage/value-storage.ts';

/** Returns whether Ignite writes values of the type differently. */
export function hasIgniteValue(type: SqlType): boolean {
  return type.name === 'TIMESTAMP_TZ' || type.className === CLASS_OF_CLOB || type.className === CLASS_OF_BLOB;
}

/** Returns a value of such a type as Ignite writes it: the properties of the Java object. */
export function igniteValue(type: SqlType, storageValue: StorageValue): Value {
  if (storageValue === null) return NULL;
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
