/** Checks that cited files of the repository and sections of the specification exist, in comments and documents. */
import type { Complaint, SourceFile } from './rules.ts';

/** A document, then the section if one is cited: `docs/spec/ignite-data.md 4.2`. */
const SPECIFICATION = /\bdocs\/spec\/([a-z-]+)\.md(?:\)?,? (\d+(?:\.\d+)*[a-z]?))?/g;
/** Files of the repository by their path from its root. */
const FILE =
  /(?<![\w/.-])((?:src|test|docs|bench|scripts|examples)\/[\w./-]*[\w-]\.(?:ts|mjs|md|json|jsonl|c|java))\b/g;
/** Documents by name alone: in the folder of the file or above it, in docs or in bench. */
const DOCUMENT = /(?<![\w/.-])([A-Za-z][\w-]*\.md)\b/g;
/** `sections` are the section numbers of each document of docs/spec by its name without the ending. */
export function checkCitations(
  files: readonly SourceFile[],
  exists: (path: string) => boolean,
  sections: ReadonlyMap<string, ReadonlySet<string>>,
): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { path, text } of files) {
    if (path.startsWith('test/architecture/') || path === 'CHANGELOG.md') continue;
    text.split('\n').forEach((line, index) => {
      const at = `${path}:${index + 1}`;
      for (const [, document = '', section] of line.matchAll(SPECIFICATION)) {
        const known = sections.get(document);
        if (known === undefined) complaints.push(`${at}: there is no docs/spec/${document}.md`);
        else if (section !== undefined && !known.has(section)) {
          complaints.push(`${at}: docs/spec/${document}.md has no section ${section}`);
        }
      }
      if (!isProse(path, line)) return;
      for (const [, file = ''] of line.matchAll(FILE)) {
        // Guides write the variable parts of a path in capitals.
        if (!/[/][A-Z]{3,}[/.]/.test(file) && !exists(file)) complaints.push(`${at}: there is no ${file}`);
      }
      for (const [, name = ''] of line.matchAll(DOCUMENT)) {
        if (!placesOf(path, name).some(exists)) {
          complaints.push(`${at}: there is no ${name}`);
        }
      }
    });
  }
  return complaints;
}

/**
 * The possible locations of a document named without a path: next to the file, in a folder above it, in docs or bench.
 */
function placesOf(path: string, name: string): string[] {
  const folders = path.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/'));
  return [...folders, 'docs', 'bench'].map((folder) => (folder === '' ? name : `${folder}/${name}`));
}

/** Comments and documents; code names files in its own ways, and the type check reads its imports. */
function isProse(path: string, line: string): boolean {
  return path.endsWith('.md') || /^\s*(?:\/\*\*?|\*|\/\/)/.test(line);
}

/** The numbers of a document's headings and of the rules below them: rule 6 of `## 5. Authentication` is 5.6. */
export function sectionsOf(markdown: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of markdown.split('\n')) {
    const heading = /^#{2,4} (\d+(?:\.\d+)*[a-z]?)\.? /.exec(line)?.[1];
    const rule = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined) numbers.add(heading);
    else if (rule !== undefined && section !== '') numbers.add(`${section}.${rule}`);
  }
  return numbers;
}
