/** Reads the code blocks of Markdown documents and the shell commands in them. */

export interface CodeBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What ```` ```ts title="app.ts" ```` shows above the block; undefined without one. */
  readonly title?: string;
  readonly text: string;
}

/** Returns the fenced blocks of a document, indented ones included. */
export function blocksOf(markdown: string): CodeBlock[] {
  const found: CodeBlock[] = [];
  for (const match of markdown.matchAll(/^([ ]*)```(\w*)(?: title="([^"\n]*)")?\n(.*?)^\1```$/gms)) {
    const [, indent = '', language = '', title, content = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length;
    const text = content.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    found.push({ line, language, ...(title !== undefined && { title }), text });
  }
  return found;
}

/** Returns a document without the elements that show a block in other languages. Lines keep their numbers. */
export function withoutDetails(markdown: string): string {
  return markdown.replaceAll(/^<details>\n[\s\S]*?^<\/details>$/gm, (text) => text.replaceAll(/[^\n]/g, ''));
}

/** Returns the commands of a shell script, each as its words without quotes. Comments are left out. */
export function shellCommands(script: string): string[][] {
  return script
    .replaceAll('\\\n', ' ')
    .replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(shellWords);
}

/** A word: quoted parts, command substitutions and plain characters without a space between them. */
const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\$\([^)]*\)|\\.|[^\s'"\\])+/g;

function shellWords(line: string): string[] {
  return [...line.matchAll(WORD)].map(([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
      (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  );
}
