/** The rules of the code, as functions from files to complaints; `test/architecture.test.ts` applies them. */
import { blankOut } from './blank.ts';
import { isImportAllowed, type ModuleRule, moduleOf, RESTRICTED } from './modules.ts';

/** A file of the repository; the path is relative to its root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One complaint: `path:line: what is wrong and what would be right`. */
export type Complaint = string;

export const MAX_COLUMNS = 120;

/** The data types of SQL: the name says what the folder holds. */
const SQL_TYPES = /^src\/sql\/types\//;
const FORBIDDEN_NAMES = ['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'types'];
/** A file with this name is the entry of a process or a thread, and may read its arguments. */
const PROCESS_ENTRY = /-(?:process|thread|worker)\.ts$/;
/** A variable with that name is something else. */
const OWN_PROCESS = /\bconst\s*\{[^}]*\bprocess\b[^}]*\}\s*=/;
const TEST_FILE = /\.test\.ts$/;

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** What a file imports, with the line: static, dynamic, re-exports, and `new URL('./x.ts', import.meta.url)`. */
export function importsOf({ text }: SourceFile): Array<{ readonly target: string; readonly line: number }> {
  const code = blankOut(text);
  const found: Array<{ target: string; line: number }> = [];
  // The blanks keep positions, so a quoted string is at the position of the blanks in the code.
  for (const match of text.matchAll(/\b(?:from|import|URL|Worker)\s*\(?\s*(['"])([^'"\n]+)\1/g)) {
    const keyword = /^\w+/.exec(match[0])?.[0] ?? '';
    if (code.startsWith(keyword, match.index)) {
      found.push({ target: match[2] ?? '', line: lineOf(text, match.index) });
    }
  }
  return found;
}

/** The path that a relative import of a file leads to. */
export function resolveImport(from: string, target: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Reports imports that the table does not allow, and files of `src` in no module. Tests may import anything. */
export function checkImports(files: readonly SourceFile[], rules: readonly ModuleRule[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const file of files) {
    if (!file.path.startsWith('src/')) continue;
    const rule = moduleOf(file.path, rules);
    if (rule === undefined) {
      complaints.push(`${file.path}:1: belongs to no module of ARCHITECTURE.md`);
      continue;
    }
    if (TEST_FILE.test(file.path)) continue;
    for (const { target, line } of importsOf(file)) {
      if (!target.startsWith('.') || target.endsWith('/')) continue;
      const path = resolveImport(file.path, target);
      const other = moduleOf(path, rules);
      const at = `${file.path}:${line}`;
      // Only modules that may import everything import files outside of the sources (package.json).
      if (other === undefined && rule.mayImport === 'all') continue;
      if (other === undefined) complaints.push(`${at}: imports ${path}, which is in no module`);
      else if (!isImportAllowed(rule, other)) {
        const allowed = rule.mayImport === 'all' ? 'all' : rule.mayImport.join(', ');
        complaints.push(`${at}: imports ${path}; ${rule.paths[0]} may import only: ${allowed || 'nothing'}`);
      }
    }
  }
  return complaints;
}

/** Reports words of the column "exclusive use" that no rule knows. */
export function checkTable(rules: readonly ModuleRule[]): Complaint[] {
  const known = new Set(RESTRICTED.map(({ word }) => word));
  return rules
    .flatMap((rule) => rule.exclusiveUses)
    .filter((word) => !known.has(word))
    .map((word) => `ARCHITECTURE.md: no rule knows what "${word}" means`);
}

/** Reports imports and exclusive uses that the table allows and no file of the module needs; tests do not count. */
export function checkUnneeded(files: readonly SourceFile[], rules: readonly ModuleRule[]): Complaint[] {
  const needed = new Map<ModuleRule, Set<string>>(rules.map((rule) => [rule, new Set<string>()]));
  for (const file of files) {
    const rule = moduleOf(file.path, rules);
    if (!file.path.startsWith('src/') || rule === undefined || TEST_FILE.test(file.path)) continue;
    const own = needed.get(rule);
    const code = blankOut(file.text);
    for (const { target } of importsOf(file)) {
      const other = target.startsWith('.') ? moduleOf(resolveImport(file.path, target), rules) : undefined;
      for (const path of other?.paths ?? []) own?.add(path.replace('src/', ''));
      for (const { word, modules } of RESTRICTED) if (modules?.test(target)) own?.add(word);
    }
    for (const { word, code: pattern } of RESTRICTED) if (pattern?.test(code)) own?.add(word);
  }
  return rules.flatMap((rule) => {
    const used = needed.get(rule);
    const allowed = [...(rule.mayImport === 'all' ? [] : rule.mayImport), ...rule.exclusiveUses];
    return allowed
      .filter((name) => used?.has(name) === false)
      .map((name) => `ARCHITECTURE.md: ${rule.paths[0]} does not need "${name}"`);
  });
}

/** Reports uses that the table reserves for other modules. */
export function checkRestricted(files: readonly SourceFile[], rules: readonly ModuleRule[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const file of files) {
    if (!file.path.startsWith('src/') || TEST_FILE.test(file.path)) continue;
    const own = moduleOf(file.path, rules)?.exclusiveUses ?? [];
    const code = blankOut(file.text);
    const modules = importsOf(file);
    for (const { word, code: pattern, modules: module, instead } of RESTRICTED) {
      if (own.includes(word)) continue;
      if (word === 'process.*' && (PROCESS_ENTRY.test(file.path) || OWN_PROCESS.test(code))) continue;
      const lines = code.split('\n');
      lines.forEach((line, index) => {
        if (pattern?.test(line)) complaints.push(`${file.path}:${index + 1}: ${word} is not allowed here: ${instead}`);
      });
      for (const { target, line } of modules) {
        if (module?.test(target)) complaints.push(`${file.path}:${line}: ${target} is not allowed here: ${instead}`);
      }
    }
  }
  return complaints;
}

/** Folders and files whose names say nothing. */
export function checkNames(files: readonly SourceFile[]): Complaint[] {
  return files.flatMap(({ path }) => {
    const bad = path
      .replace(SQL_TYPES, '')
      .split('/')
      .find((part) => FORBIDDEN_NAMES.includes(part.replace(/(\.test|\.suite)?\.\w+$/, '')));
    return bad === undefined ? [] : [`${path}:1: "${bad}" says nothing: name the thing that it holds`];
  });
}

/** Long lines, which the formatter leaves in comments and texts, and left-over marks. */
export function checkLines(files: readonly SourceFile[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { path, text } of files) {
    const lines = text.split('\n');
    const code = path.endsWith('.ts') ? blankOut(text).split('\n') : lines;
    lines.forEach((line, index) => {
      const at = `${path}:${index + 1}`;
      const width = [...line].length;
      if (width > MAX_COLUMNS && !isUnbreakable(line, code[index] ?? line)) {
        complaints.push(`${at}: ${width} columns; at most ${MAX_COLUMNS}`);
      }
      if (/\b(?:TODO|FIXME|XXX|HACK)\b(?!['"/|)])/.test(line)) {
        complaints.push(`${at}: a left-over mark: do it or describe it in an issue`);
      }
    });
  }
  return complaints;
}

/** A line with a text literal or an address that cannot be broken; a comment can. */
function isUnbreakable(line: string, code: string): boolean {
  if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return /https?:\/\/\S{60,}/.test(line);
  return /['"`]/.test(line) && line.replace(/\s/g, '').length - code.replace(/\s/g, '').length >= 40;
}

/** Documents: paths of a machine, hosts of registries. */
export function checkDocuments(documents: readonly SourceFile[]): Complaint[] {
  const complaints: Complaint[] = [];
  for (const { path, text } of documents) {
    text.split('\n').forEach((line, index) => {
      const at = `${path}:${index + 1}`;
      const machine = /(?<![\w.$~])\/(?:work|home|root|Users|mnt|tmp\/\w+)\/[\w.-]+/.exec(line);
      if (machine !== null) complaints.push(`${at}: a path of one machine: ${machine[0]}`);
      const host = /https?:\/\/[\w.-]*(?:registry|artifact|nexus|mirror|proxy)[\w.-]*/.exec(line);
      if (host !== null) complaints.push(`${at}: a registry's host: ${host[0]}`);
    });
  }
  return complaints;
}
