/** Finds names that need a glossary, where the field has a term of its own. */
import { blankOut } from './blank.ts';
import type { Complaint, SourceFile } from './rules.ts';

/** A word of a name that may not be used, and the terms to use instead. */
export const REPLACED_WORDS: ReadonlyMap<string, string> = new Map(
  [
    ['desk desks', 'service, authenticator'],
    ['gate gates passage passages', 'request pipeline, RequestExecution'],
    ['room rooms door doors law laws', 'module, allowed imports, space'],
    ['turn turns', 'tick, batch'],
    ['lease leases', 'write lock'],
    ['board boards', 'shared state'],
    ['asker askers answerer answerers bring brings', 'client, server, drain'],
    ['late', 'deferred, checked by the handler, delayed'],
    ['piece pieces', 'chunk, part'],
    ['face faces', 'codec, representation'],
    ['cell cells', 'storage value, slot'],
    ['datum datums', 'value'],
    ['figure figures measures', 'metric, metrics'],
    ['fact facts', 'info'],
    ['lives', 'epoch, time to live'],
    ['surroundings', 'execution context'],
    ['tally tallies', 'pending statistics'],
    ['penance strikes', 'back-off, failures'],
    ['spelling spelled', 'deparser'],
    ['seal seals sealed', 'encrypt'],
  ].flatMap(([words = '', terms = '']) => words.split(' ').map((word) => [word, terms] as const)),
);

/** The words of a name: `readQueryBoard` is read, query, board. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Names of files, types, functions, properties and variables with a replaced word. */
export function checkVocabulary(files: readonly SourceFile[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { path, text } of files) {
    const inPath = wordsOf(path).find((word) => REPLACED_WORDS.has(word));
    if (inPath !== undefined) complaints.push(`${path}:1: "${inPath}" in its path: ${REPLACED_WORDS.get(inPath)}`);
    if (!/\.(?:ts|mjs)$/.test(path)) continue;
    const seen = new Set<string>();
    blankOut(text)
      .split('\n')
      .forEach((line, index) => {
        for (const [name] of line.matchAll(/[A-Za-z_$][\w$]*/g)) {
          if (seen.has(name)) continue;
          seen.add(name);
          const word = wordsOf(name).find((each) => REPLACED_WORDS.has(each));
          if (word !== undefined) complaints.push(`${path}:${index + 1}: ${name}: ${REPLACED_WORDS.get(word)}`);
        }
      });
  }
  return complaints;
}

/** Words of the metrics that the service exports, options and commands: names that users see. */
export function checkPublicNames(names: readonly string[]): Complaint[] {
  return names.flatMap((name) => {
    const word = wordsOf(name).find((each) => REPLACED_WORDS.has(each));
    return word === undefined ? [] : [`${name}: ${REPLACED_WORDS.get(word)}`];
  });
}
