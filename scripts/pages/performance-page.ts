/**
 * The tables and plots of docs/performance.md: before each table, a comment names the section of the results, and the
 * table's column headings select the columns that are shown; another comment names the folder of the plots. The rest of
 * the page is written by hand.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PERFORMANCE_PAGE = 'docs/performance.md';

const root = join(import.meta.dir, '..', '..');
/** The comment, the head of the table, the line below it, and its rows. */
const TABLE = /(<!-- from (\S+), section "([^"]+)" -->\n\n)(\|.*\|)\n(\|[ :|-]+\|)\n(?:\|.*\|\n)+/g;

/** The comments around the plots. */
const PLOTS = /(<!-- plots of (\S+) -->\n)[\s\S]*?(<!-- end of the plots -->)/;

const fieldsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((field) => field.trim());

/** Returns the lines of the first table of a section. */
function tableOf(path: string, section: string): string[] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const heading = lines.findIndex((line) => /^#+ /.test(line) && line.includes(section));
  const first = lines.findIndex((line, at) => at > heading && line.startsWith('|'));
  if (heading < 0 || first < 0) throw new Error(`${path} has no table in a section "${section}"`);
  const end = lines.findIndex((line, at) => at > first && !line.startsWith('|'));
  return lines.slice(first, end < 0 ? undefined : end);
}

/** Returns a folder's plots as titled images, or a sentence if there are none. */
function plotsOf(folder: string): string {
  const path = join(root, folder);
  const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.svg')) : [];
  if (names.length === 0) return 'This version has no results of it yet.';
  return names
    .sort()
    .reverse()
    .map((name) => {
      const title = /aria-label="([^"]*)"/.exec(readFileSync(join(path, name), 'utf8'))?.[1] ?? name;
      return `![${title}](../${folder}/${name})`;
    })
    .join('\n\n');
}

/** Returns the page with the current rows and plots of the results. */
export function performancePage(): string {
  const page = readFileSync(join(root, PERFORMANCE_PAGE), 'utf8');
  let tables = 0;
  const text = page.replace(TABLE, (_, comment: string, path: string, section: string, head: string, rule: string) => {
    tables++;
    const [resultHead = '', , ...rows] = tableOf(path, section);
    const columns = fieldsOf(resultHead);
    const shown = fieldsOf(head).map((column) => {
      const at = columns.indexOf(column);
      if (at < 0) throw new Error(`${path} has no column "${column}" in section "${section}"`);
      return at;
    });
    const lines = rows.map((row) => `| ${shown.map((at) => fieldsOf(row)[at]).join(' | ')} |`);
    return `${comment}${[head, rule, ...lines].join('\n')}\n`;
  });
  if (tables === 0) throw new Error(`${PERFORMANCE_PAGE} has no table of results`);
  if (!PLOTS.test(text)) throw new Error(`${PERFORMANCE_PAGE} has no place for plots`);
  return text.replace(
    PLOTS,
    (_, start: string, folder: string, end: string) => `${start}\n${plotsOf(folder)}\n\n${end}`,
  );
}
