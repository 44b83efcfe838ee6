/** Writes the Markdown elements of the generated pages. */

/** What every generated page begins with. */
export const GENERATED = '`npm run generate` generates this page from the declarations in the code. Do not edit it.';

/** Returns a table whose columns hold Markdown. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (columns: readonly string[]) => `| ${columns.map(escapePipes).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function escapePipes(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Returns inline code. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Returns a fenced code block. */
export function codeBlock(language: string, lines: readonly string[]): string {
  return [`\`\`\`${language}`, ...lines, '```'].join('\n');
}

/** Joins blocks with a blank line between them and leaves out empty ones. */
export function blocks(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Returns a link to a heading, of the same page or of the one at `path`. */
export function link(heading: string, path = ''): string {
  return `[${heading}](${path}#${heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')})`;
}

/** Replaces what is not in a fenced block. */
export function outsideBlocks(markdown: string, replace: (text: string) => string): string {
  return markdown
    .split(/^([ ]*```.*?^[ ]*```$)/gms)
    .map((part, index) => (index % 2 === 0 ? replace(part) : part))
    .join('');
}
