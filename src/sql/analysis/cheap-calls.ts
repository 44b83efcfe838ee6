/** Which calls are cheap: they take time and memory in proportion to their arguments, with a small factor. */
import { AGGREGATES, FUNCTIONS } from '../functions/functions.ts';

/** Functions that are cheap where their declaration does not say it; any other counts as costly. */
const CHEAP: ReadonlySet<string> = new Set(
  (
    'ABS ARRAY_LENGTH ASCII BIT_LENGTH CASEWHEN CEIL CEILING CHAR CHAR_LENGTH CHR COALESCE CONCAT CURRENT_DATE ' +
    'CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATABASE DAY_OF_MONTH DAY_OF_WEEK DAY_OF_YEAR DECODE EXTRACT FLOOR ' +
    'GREATEST HOUR IFNULL LEAST LEFT LENGTH LOWER MINUTE MOD MONTH NULLIF NVL2 OCTET_LENGTH PI QUARTER RAND ' +
    'RANDOM_UUID RIGHT ROUND SCHEMA SECOND SIGN SUBSTRING TRUNCATE UPPER USER WEEK YEAR ZERO ' +
    'AVG BOOL_AND BOOL_OR COUNT MAX MIN SUM'
  ).split(' '),
);

/** Whether a function or an operator is declared cheap. Names are in upper case; what does not exist is not cheap. */
export function isCheapCall(name: string): boolean {
  const declared = FUNCTIONS.get(name) ?? AGGREGATES.get(name);
  return declared !== undefined && (declared.cheap ?? declared.names.some((each) => CHEAP.has(each)));
}
