/** Finds names that need a glossary, where the field has a term of its own. */
import { blankOut } from './blank.ts';
import type { Complaint, SourceFile } from './rules.ts';

/** Words that no name may contain, each with the terms to use instead. */
export const REPLACED_WORDS: ReadonlyMap<string, string> = new Map(
  [
    ['desk desks', 'service, authenticator'],
    ['gate gates passage passages', 'request pipeline, RequestExecution'],
    ['room rooms door doors law laws', 'module, allowed imports, space'],
    ['turn turns', 'tick, batch'],
    ['lease leases leased', 'write lock'],
    ['board boards', 'shared state'],
    ['asker askers answerer answerers bring brings', 'client, server, drain'],
    ['late', 'deferred, checked by the handler, delayed'],
    ['piece pieces', 'chunk, part'],
    ['face faces', 'codec, representation'],
    ['cell cells', 'storage value, slot'],
    ['datum datums', 'value'],
    ['figure figures measures', 'metric, metrics'],
    ['fact facts', 'info'],
    ['life lives', 'epoch, time to live'],
    ['surroundings', 'execution context'],
    ['tally tallies', 'pending statistics'],
    ['penance penances strike strikes', 'back-off, failures'],
    ['spelling spellings spelled spell', 'deparser'],
    ['catalogue catalogues', 'catalog'],
    ['seal seals sealed', 'encrypt'],
    ['give gives', 'return, yield, feed'],
    ['make makes', 'create'],
    ['stand stands', 'is, remains'],
    ['refuse refuses refused refusal', 'reject, throw'],
    ['takes', 'accepts'],
  ].flatMap(([words = '', terms = '']) => words.split(' ').map((word) => [word, terms] as const)),
);

/** Terms of HTML: elements of pages may be called so. */
const HTML_TERMS: ReadonlySet<string> = new Set(['cell', 'cells', 'figure']);

/** Pairs of words whose parts are fine on their own. */
const REPLACED_PAIRS: ReadonlyMap<string, string> = new Map([
  ['thread link', 'RPC channel'],
  ['security generation', 'epoch'],
  ['the reference', 'Apache Ignite'],
]);

/** The words of a name: `readQueryBoard` is read, query, board. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Returns the first replaced word or pair of words in a name, or undefined. */
function replacedIn(name: string): { readonly word: string; readonly terms: string } | undefined {
  const words = wordsOf(name);
  for (const [index, word] of words.entries()) {
    const pair = `${word} ${words[index + 1] ?? ''}`;
    const terms = REPLACED_WORDS.get(word) ?? REPLACED_PAIRS.get(pair);
    if (terms !== undefined) return { word: REPLACED_WORDS.has(word) ? word : pair, terms };
  }
  return undefined;
}

/** Names of files, types, functions, properties and variables with a replaced word. */
export function checkVocabulary(files: readonly SourceFile[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { path, text } of files) {
    const inPath = replacedIn(path);
    if (inPath !== undefined) complaints.push(`${path}:1: "${inPath.word}" in its path: ${inPath.terms}`);
    if (!/\.(?:tsx?|mjs)$/.test(path)) continue;
    const seen = new Set<string>();
    blankOut(text)
      .split('\n')
      .forEach((line, index) => {
        for (const [name] of line.matchAll(/[A-Za-z_$][\w$]*/g)) {
          if (seen.has(name)) continue;
          seen.add(name);
          const found = replacedIn(name);
          if (found === undefined || (path.endsWith('.tsx') && HTML_TERMS.has(found.word))) continue;
          complaints.push(`${path}:${index + 1}: ${name}: ${found.terms}`);
        }
      });
  }
  return complaints;
}

/** Words of the metrics that the service exports, options and commands: names that users see. */
export function checkPublicNames(names: readonly string[]): Complaint[] {
  return names.flatMap((name) => {
    const found = replacedIn(name);
    return found === undefined ? [] : [`${name}: ${found.terms}`];
  });
}
