/** Estimates of values' sizes. */
import { isScalar } from './scalar-traits.ts';
import type { Value } from './value.ts';

/** Number of characters counted for a value that is neither a string nor a container. */
const SCALAR_SIZE = 16;

/** Returns the approximate number of characters in a value's JSON. */
export function sizeOfValue(value: Value): number {
  if (value.type === 'string' || value.type === 'bytes') return SCALAR_SIZE + value.data.length;
  if (isScalar(value)) return SCALAR_SIZE;
  switch (value.type) {
    case 'list':
    case 'array':
      return value.data.reduce((size, each) => size + sizeOfValue(each), SCALAR_SIZE);
    case 'map':
      return value.data.reduce((size, [key, each]) => size + sizeOfValue(key) + sizeOfValue(each), SCALAR_SIZE);
    case 'object':
      return value.fields.reduce((size, each) => size + each.name.length + sizeOfValue(each.value), SCALAR_SIZE);
    case 'null':
    case 'enum':
    case 'opaque':
      return SCALAR_SIZE;
  }
}
