/** Types of columns that clients write outside of statements. */
import { SqlFailure } from '../../base/sql-failure.ts';
import { parseType } from '../syntax/parse-type.ts';
import { TokenReader } from '../syntax/token-reader.ts';

/** Returns why a column cannot have a type, with the type that was probably meant; undefined if it can. */
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
