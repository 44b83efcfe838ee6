/** All functions of the dialect by name. */
import type { SqlAggregate, SqlFunction } from '../types/sql-types.ts';
import { AGGREGATE_FUNCTIONS } from './aggregates.ts';
import { CONDITIONAL_FUNCTIONS } from './conditionals.ts';
import { CRYPTOGRAPHY_FUNCTIONS } from './cryptography.ts';
import { DATE_TIME_FUNCTIONS } from './date-times.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { NUMERIC_FUNCTIONS } from './numerics.ts';
import { STRING_ENCODING_FUNCTIONS } from './string-encodings.ts';
import { STRING_FUNCTIONS } from './strings.ts';
import { SYSTEM_FUNCTIONS } from './system.ts';

export { UNSUPPORTED } from './unsupported.ts';

function byName<F extends { readonly names: readonly string[] }>(all: readonly F[]): ReadonlyMap<string, F> {
  const table = new Map<string, F>();
  for (const one of all) {
    for (const name of one.names) {
      if (table.has(name)) throw new Error(`function ${name} is declared twice`);
      table.set(name, one);
    }
  }
  return table;
}

/** Every function by each of its names, in upper case. */
export const FUNCTIONS: ReadonlyMap<string, SqlFunction> = byName([
  ...CONDITIONAL_FUNCTIONS,
  ...DATE_TIME_FUNCTIONS,
  ...NUMERIC_FUNCTIONS,
  ...CRYPTOGRAPHY_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...STRING_ENCODING_FUNCTIONS,
  ...SYSTEM_FUNCTIONS,
  ...JSON_FUNCTIONS,
]);

/** Every aggregate by each of its names, in upper case. */
export const AGGREGATES: ReadonlyMap<string, SqlAggregate> = byName(AGGREGATE_FUNCTIONS);
