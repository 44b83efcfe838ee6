/** The key of a row, as commands on entries name it. */

import { argumentTypeOf } from '../rows/column-filter.ts';
import type { RowTexts } from '../rows/row.ts';
import type { TableColumn } from './row-query.ts';

export interface NamedKey {
  readonly key: string;
  readonly keyType: string;
}

/**
 * Returns the key with the values of its columns, or undefined while one is missing. A key of several columns, or one
 * whose table declares a class for it, is an object of the type that the service names.
 */
export function keyOfRow(
  keys: readonly TableColumn[],
  values: RowTexts,
  keyType: string | undefined,
): NamedKey | undefined {
  const texts = keys.map(({ name }) => values[name] ?? '');
  const [first, ...others] = keys;
  if (first === undefined || texts.includes('')) return undefined;
  const isScalar = others.length === 0 && (keyType === undefined || /^java\.|^\[/.test(keyType));
  if (isScalar) return { key: texts[0] ?? '', keyType: argumentTypeOf(first) ?? 'string' };
  if (keyType === undefined) return undefined;
  return { key: JSON.stringify(Object.fromEntries(keys.map(({ name }, at) => [name, texts[at]]))), keyType };
}
