/** Conversion of task results to grid values. */
import { NULL, text, type Value } from '../../values/value.ts';

const INTEGER_MIN = -2_147_483_648;
const INTEGER_MAX = 2_147_483_647;
const LONG_BITS = 64;

/** Returns the value of a result. Throws for functions, symbols and cyclic objects. */
export function resultValue(result: unknown, parents: readonly object[] = []): Value {
  if (result === undefined || result === null) return NULL;
  switch (typeof result) {
    case 'string':
      return text(result);
    case 'boolean':
      return { type: 'boolean', data: result };
    case 'number':
      if (Number.isInteger(result) && result >= INTEGER_MIN && result <= INTEGER_MAX && !Object.is(result, -0)) {
        return { type: 'integer', data: result };
      }
      return Number.isSafeInteger(result) && !Object.is(result, -0)
        ? { type: 'long', data: BigInt(result) }
        : { type: 'double', data: result };
    case 'bigint':
      return { type: BigInt.asIntN(LONG_BITS, result) === result ? 'long' : 'bigInteger', data: result };
    case 'object':
      return objectValue(result, parents);
    default:
      throw new Error(`A result cannot be a ${typeof result}`);
  }
}

function objectValue(result: object, parents: readonly object[]): Value {
  if (parents.includes(result)) throw new Error('A result cannot contain itself');
  const inner = [...parents, result];
  if (result instanceof Uint8Array) return { type: 'bytes', data: result };
  if (result instanceof Date) return { type: 'timestamp', data: BigInt(result.getTime()) * 1_000_000n };
  if (Array.isArray(result) || result instanceof Set) {
    return { type: 'list', data: [...result].map((each) => resultValue(each, inner)) };
  }
  const members = result instanceof Map ? [...result] : Object.entries(result);
  return { type: 'map', data: members.map(([name, each]) => [resultValue(name), resultValue(each, inner)]) };
}
