/** Estimates of the size of values. */
import type { Value } from './value.ts';

/** Characters of a value that is neither a string nor contains others. */
const SCALAR_SIZE = 16;

/** Returns about the number of characters that a value has in JSON. */
export function sizeOfValue(value: Value): number {
  switch (value.type) {
    case 'string':
    case 'bytes':
      return SCALAR_SIZE + value.data.length;
    case 'list':
    case 'array':
      return value.data.reduce((size, each) => size + sizeOfValue(each), SCALAR_SIZE);
    case 'map':
      return value.data.reduce((size, [key, each]) => size + sizeOfValue(key) + sizeOfValue(each), SCALAR_SIZE);
    case 'object':
      return value.fields.reduce((size, each) => size + each.name.length + sizeOfValue(each.value), SCALAR_SIZE);
    default:
      return SCALAR_SIZE;
  }
}
