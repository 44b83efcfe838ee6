/** Functions on JSON strings and objects: the SQL standard's, and PostgreSQL's operators. */
import { sqlFailure } from '../../base/sql-errors.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import {
  dataOfItem,
  findItem,
  isCompound,
  itemOfText,
  itemOfValue,
  type JsonItem,
  nodeOfItem,
  type PathStep,
  parsePath,
  textOfItem,
} from '../types/json-path.ts';
import type { SqlData, SqlType } from '../types/sql-types.ts';
import { BOOLEAN, Call, defineFunctions, type FunctionDeclaration, INTEGER, VARCHAR } from './definition.ts';

/**
 * The results of JSON_VALUE and JSON_QUERY if the path leads nowhere, and if an error occurs: a letter for each, in the
 * third or fourth argument.
 */
const ON_NULL = 'N';
/** Both clauses when they are omitted. */
export const NO_CLAUSES = 'NN';
const ON_ERROR = 'E';
const ON_DEFAULT = 'D';

/** Returns the item at a path in the first argument, or undefined if there is none. Throws JSON_INVALID. */
type FindItem = (steps: readonly PathStep[]) => JsonItem | undefined;

/** A function whose first argument is an object or a JSON string. An engine may find the items itself. */
interface JsonFunction {
  /** Returns the path in the other arguments. */
  steps(call: Call): readonly PathStep[];
  /** Computes the result for an item that `find` returned. */
  evaluate(find: () => JsonItem | undefined, call: Call): SqlData;
}

function pathAt(call: Call, index: number): readonly PathStep[] {
  return call.has(index) ? parsePath(call.text(index)) : [];
}

/** Returns the result for an item, as the clauses ON EMPTY and ON ERROR say. */
function withClauses(
  find: () => JsonItem | undefined,
  clauses: string,
  result: (item: JsonItem) => SqlData,
  defaults: readonly [empty: SqlData, error: SqlData],
): SqlData {
  const [onEmpty = ON_NULL, onError = ON_NULL] = clauses;
  try {
    const item = find();
    if (item !== undefined) return result(item);
  } catch (error) {
    if (!(error instanceof SqlFailure) || onError === ON_ERROR) throw error;
    return onError === ON_DEFAULT ? defaults[1] : null;
  }
  // ON ERROR does not apply to this.
  if (onEmpty === ON_ERROR) throw sqlFailure('JSON_EMPTY');
  return onEmpty === ON_DEFAULT ? defaults[0] : null;
}

/** Returns NULL for invalid JSON. */
function unlessInvalid(find: () => JsonItem | undefined): JsonItem | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof SqlFailure) return undefined;
    throw error;
  }
}

function stepsOfArguments(call: Call): readonly PathStep[] {
  return call.args.slice(1).map((data) => (typeof data === 'bigint' ? Number(data) : String(data)));
}

const JSON_FUNCTIONS_BY_NAME = {
  JSON_VALUE: {
    steps: (call) => pathAt(call, 1),
    evaluate: (find, call) =>
      withClauses(find, call.text(3), (item) => dataOfItem(item, call.type(2)), [call.data(4), call.data(5)]),
  },
  JSON_QUERY: {
    steps: (call) => pathAt(call, 1),
    evaluate: (find, call) =>
      withClauses(
        find,
        call.text(2),
        (item) => {
          if (isCompound(item)) return textOfItem(item);
          throw sqlFailure('JSON_SCALAR');
        },
        [null, null],
      ),
  },
  JSON_EXISTS: {
    steps: (call) => pathAt(call, 1),
    evaluate: (find) => unlessInvalid(find) !== undefined,
  },
  JSON_ARRAY_LENGTH: {
    steps: (call) => pathAt(call, 1),
    evaluate(find) {
      const item = unlessInvalid(find);
      const node = item && nodeOfItem(item);
      return node?.kind === 'array' ? BigInt(node.items.length) : null;
    },
  },
  JSON_EXTRACT_PATH: {
    steps: stepsOfArguments,
    evaluate(find) {
      const item = unlessInvalid(find);
      return item === undefined ? null : textOfItem(item);
    },
  },
  JSON_EXTRACT_PATH_TEXT: {
    steps: stepsOfArguments,
    evaluate(find) {
      const item = unlessInvalid(find);
      if (item === undefined) return null;
      return isCompound(item) ? textOfItem(item) : dataOfItem(item, VARCHAR);
    },
  },
} as const satisfies Record<string, JsonFunction>;

type JsonName = keyof typeof JSON_FUNCTIONS_BY_NAME;

function isJsonName(name: string): name is JsonName {
  return Object.hasOwn(JSON_FUNCTIONS_BY_NAME, name);
}

/**
 * Returns a JSON function with constant arguments except the first, as a function that takes a finder of items in that,
 * or undefined for any other function. `args` are all arguments; the first one is not used. Throws JSON_PATH.
 */
export function jsonEvaluation(
  name: string,
  args: readonly SqlData[],
  types: readonly SqlType[],
): { readonly steps: readonly PathStep[]; readonly evaluate: (find: FindItem) => SqlData } | undefined {
  if (!isJsonName(name)) return undefined;
  const call = new Call(args, types, NO_ENVIRONMENT);
  const { steps: stepsOf, evaluate } = JSON_FUNCTIONS_BY_NAME[name];
  const steps = stepsOf(call);
  return { steps, evaluate: (find) => evaluate(() => find(steps), call) };
}

const NO_ENVIRONMENT = { nowMs: 0, user: '', schema: '', random: () => 0, seed: () => {} };

function compute(name: JsonName, call: Call): SqlData {
  const data = call.data(0);
  if (data === null) return null;
  const { steps: stepsOf, evaluate } = JSON_FUNCTIONS_BY_NAME[name];
  const steps = stepsOf(call);
  return evaluate(() => {
    const { structure } = call.environment;
    const isStored = call.type(0).name === 'OTHER' && structure !== undefined;
    return findItem(isStored ? itemOfValue(structure(call.text(0))) : itemOfText(call.text(0)), steps);
  }, call);
}

/** An object unchanged, anything else as a string. */
function documentType(given: readonly SqlType[]): 'any' | 'VARCHAR' {
  return given[0]?.name === 'OTHER' ? 'any' : 'VARCHAR';
}

function define(
  name: JsonName,
  declaration: Omit<FunctionDeclaration, 'names' | 'compute' | 'nullOnNull'>,
): FunctionDeclaration {
  return {
    names: [name],
    ...declaration,
    nullOnNull: name !== 'JSON_VALUE' && name !== 'JSON_QUERY',
    compute: (call) => (call.count > 1 && !call.has(1) ? null : compute(name, call)),
  };
}

const extractTypes: FunctionDeclaration['argumentTypes'] = (given) => [
  documentType(given),
  ...given.slice(1).map(({ name }) => (INTEGERS.has(name) ? ('BIGINT' as const) : ('VARCHAR' as const))),
];
const INTEGERS: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT']);

export const JSON_FUNCTIONS = defineFunctions('json', [
  define('JSON_VALUE', {
    count: [6, 6],
    argumentTypes(given) {
      const returned = given[2]?.name ?? 'VARCHAR';
      return [documentType(given), 'VARCHAR', returned, 'VARCHAR', returned, returned];
    },
    result: (given) => ({ name: given[2]?.name ?? 'VARCHAR' }),
    summary:
      'Returns the scalar at a path of an object or a JSON text, as text or as the type after RETURNING; NULL, an error ' +
      'or a default ON EMPTY and ON ERROR.',
  }),
  define('JSON_QUERY', {
    count: [3, 3],
    argumentTypes: (given) => [documentType(given), 'VARCHAR', 'VARCHAR'],
    result: VARCHAR,
    summary: 'Returns the JSON of the object or array at a path; NULL or an error ON EMPTY and ON ERROR.',
  }),
  define('JSON_EXISTS', {
    count: 2,
    argumentTypes: (given) => [documentType(given), 'VARCHAR'],
    result: BOOLEAN,
    summary: 'Reports whether a path leads to something, be it null.',
  }),
  define('JSON_ARRAY_LENGTH', {
    count: [1, 2],
    argumentTypes: (given) => [documentType(given), 'VARCHAR'],
    result: INTEGER,
    summary: 'Returns the number of items of an array, or of the one at a path; NULL for anything else.',
  }),
  define('JSON_EXTRACT_PATH', {
    count: [2, Number.POSITIVE_INFINITY],
    argumentTypes: extractTypes,
    result: VARCHAR,
    summary: 'Returns the JSON of the member of a name, or of the item of an index from 0, step by step: `x -> name`.',
  }),
  define('JSON_EXTRACT_PATH_TEXT', {
    count: [2, Number.POSITIVE_INFINITY],
    argumentTypes: extractTypes,
    result: VARCHAR,
    summary: 'Returns the same as text, a string without quotes: `x ->> name`.',
  }),
]);
