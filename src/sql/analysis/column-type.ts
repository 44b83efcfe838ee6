/** Column types that clients write outside statements. */
import { SqlFailure } from '../../base/sql-failure.ts';
import { parseType } from '../syntax/parse-type.ts';
import { TokenReader } from '../syntax/token-reader.ts';

/**
 * Returns the reason why a column cannot have a type, with the type that was probably meant, or undefined if it can.
 */
export function typeProblem(type: string, column: string): string | undefined {
  try {
    const reader = new TokenReader(type);
    parseType(reader, column);
    return reader.isEnd() ? undefined : `${type} is not a data type`;
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    const { suggestion } = error.place;
    return suggestion === undefined ? error.message : `${error.message}, did you mean ${suggestion}?`;
  }
}
