/** Creates tabs for examples in several languages. */

/** Titles of tabs by the languages of their blocks. */
const TITLES: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
};

const BLOCK = /```(\w+)\n[\s\S]*?^```$/gm;
/** A block, directly followed by an element with the same in other languages. */
const EXAMPLE =
  /^```\w+\n(?:(?!^```)[^\n]*\n)*```\n\n<details>\n<summary>[^\n]*<\/summary>\n\n([\s\S]*?)\n\n<\/details>$/gm;

/** Returns a page with tabs in place of a block and the following `details` with other languages. */
export function withTabs(markdown: string): string {
  return markdown.replace(EXAMPLE, (example) =>
    [...example.matchAll(BLOCK)]
      .map(
        ([block, language = '']) => `=== "${TITLES[language] ?? language}"\n\n${block.replaceAll(/^(?=.)/gm, '    ')}`,
      )
      .join('\n\n'),
  );
}
