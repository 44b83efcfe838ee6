/** The rule that limits are declared in one file, and that a bound next to its code has a comment with the reason. */
import type { Complaint, SourceFile } from './rules.ts';

const LIMITS = 'src/base/limits.ts';
const NOT_PRODUCT = /^(?!src\/)|\.test\.ts$/;
const CONSTANT = /^(?:export )?const ([A-Z][A-Z0-9_]*) = -?[\d(]/;
/** Names of bounds, sizes and times. */
const BOUND = /^(?:MAX|MIN)_|_LIMIT(?:_|$)|_(?:MS|SECONDS|BYTES|CHARACTERS|ROWS|PAGES|ENTRIES|TRIES)$/;
/** Names of conversion factors, which are not choices. */
const CONVERSION = /(?:^|_)(?:DAY|HOUR|MINUTE|SECOND|PER)_/;

/** Reports numeric constants outside of {@link LIMITS} that are bounds, sizes or times and have no comment. */
export function checkLimits(files: readonly SourceFile[]): Complaint[] {
  return files.filter(({ path }) => !NOT_PRODUCT.test(path) && path !== LIMITS).flatMap(uncommentedBounds);
}

function uncommentedBounds({ path, text }: SourceFile): Complaint[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const name = CONSTANT.exec(line)?.[1] ?? '';
    if (!BOUND.test(name) || CONVERSION.test(name) || isCommented(lines, index)) return [];
    return [`${path}:${index + 1}: ${name} has no comment: say why it has that value, or move it to ${LIMITS}`];
  });
}

/** One comment serves the constants that follow it directly. */
function isCommented(lines: readonly string[], index: number): boolean {
  let at = index - 1;
  while (/^(?:export )?const [A-Z]/.test(lines[at] ?? '')) at--;
  return /\*\/$|^\/\//.test(lines[at] ?? '');
}
