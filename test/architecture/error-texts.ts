/** The rule that errors and their texts are declared in the tables of errors, each once. */
import { blankOut } from './blank.ts';
import type { Complaint, SourceFile } from './rules.ts';

const TABLES = /^src\/base\/(?:errors|sql-errors|errors\/[a-z-]+)\.ts$/;

/** Files that translate the errors of others (SQLite, nodes, tasks, other threads) and pass on their texts. */
const TRANSLATORS: readonly string[] = [
  'src/base/rpc-channel.ts',
  'src/engines/cluster/protocol/status.ts',
  'src/engines/cluster/queries/query-failures.ts',
  'src/engines/cluster/topology/cluster-tasks.ts',
  'src/engines/cluster/topology/cluster-users.ts',
  'src/engines/embedded/backup/backup-runner.ts',
  'src/engines/embedded/ddl/ddl-failures.ts',
  'src/engines/embedded/dispatch/statement-router.ts',
  'src/engines/embedded/shared/sql-failures.ts',
  'src/engines/embedded/storage/data-folder.ts',
  'src/engines/embedded/storage/storage-failures.ts',
  'src/service/atomic-batch.ts',
  'src/service/tasks/task-service.ts',
  'src/sql/syntax/statement-error.ts',
];

const NOT_PRODUCT = /^(?!src\/)|\.test\.ts$/;
const LITERAL = /'[^'\n]*'|"[^"\n]*"|`[^`]*`/g;

/**
 * Reports errors that are constructed with a literal text, and texts that the tables declare twice. `passedOn` are
 * the codes whose text is their only argument.
 */
export function checkErrorTexts(files: readonly SourceFile[], passedOn: readonly string[]): Complaint[] {
  const product = files.filter(({ path }) => !NOT_PRODUCT.test(path));
  const tables = product.filter(({ path }) => TABLES.test(path));
  return [
    ...product.filter((file) => !tables.includes(file)).flatMap((file) => ownTexts(file, passedOn)),
    ...repeatedTexts(tables),
    ...repeatedNames(tables.filter(({ path }) => path.startsWith('src/base/errors/'))),
  ];
}

function ownTexts({ path, text }: SourceFile, passedOn: readonly string[]): Complaint[] {
  const code = blankOut(text);
  const complaints: Complaint[] = [];
  for (const { index, 0: start } of code.matchAll(/\bnew (?:GridError|SqlFailure)\(|\bfail\(/g)) {
    const source = text.slice(index + start.length, endOf(code, index + start.length));
    const literals = source.match(LITERAL) ?? [];
    const isPassedOn = passedOn.includes((literals[0] ?? '').slice(1, -1)) && /^\s*['"]/.test(source);
    if (start === 'fail(' && !isPassedOn) continue;
    if (TRANSLATORS.includes(path) && !literals.some((literal) => literal.includes(' '))) continue;
    const line = text.slice(0, index).split('\n').length;
    complaints.push(
      `${path}:${line}: an error with a text of its own: declare it in src/base/errors or src/base/sql-errors.ts`,
    );
  }
  return complaints;
}

/** Returns the position of the parenthesis that closes the one opened before `from`. */
function endOf(code: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')') depth--;
  }
  return at - 1;
}

function repeatedTexts(tables: readonly SourceFile[]): Complaint[] {
  const known = new Set<string>();
  const complaints: Complaint[] = [];
  for (const { path, text } of tables) {
    for (const { index, 1: literal = '' } of text.matchAll(/=>\s*('[^'\n]+'|"[^"\n]+"|`[^`]+`)(?=[,;]| \}|\n)/g)) {
      const words = literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '%');
      if (words.includes(' ') && known.has(words)) {
        const line = text.slice(0, index).split('\n').length;
        complaints.push(`${path}:${line}: this text is declared twice: ${words}`);
      }
      known.add(words);
    }
  }
  return complaints;
}

/** Reports names that occur in several files: the catalogue would keep only the last one. */
function repeatedNames(tables: readonly SourceFile[]): Complaint[] {
  const places = new Map<string, string>();
  const complaints: Complaint[] = [];
  for (const { path, text } of tables) {
    for (const [, name = ''] of text.matchAll(/^ {2}([A-Z][A-Z_]+): \{/gm)) {
      const other = places.get(name);
      if (other !== undefined) complaints.push(`${path}: ${name} is declared in ${other}, too`);
      places.set(name, path);
    }
  }
  return complaints;
}
