/** The rule that code reads every declared option and limit: one that nothing reads has no effect. */
import type { Complaint, SourceFile } from './rules.ts';

const OPTIONS = 'src/configuration/options.ts';
const LIMITS = 'src/base/settable-limits.ts';

/** Reports options, by their paths, and limits, by their names, that only their tables name. */
export function checkRead(
  files: readonly SourceFile[],
  options: readonly string[],
  limits: readonly string[],
): Complaint[] {
  const code = files
    .filter(({ path }) => path.startsWith('src/') && ![OPTIONS, LIMITS].includes(path) && !/\.test\.tsx?$/.test(path))
    .map(({ text }) => text)
    .join('\n');
  const members = new Set([...code.matchAll(/[.{,]\s*(\w+)/g)].map(([, name = '']) => name));
  const isRead = (path: string): boolean => code.includes(`'${path}'`) || (!path.includes('.') && members.has(path));
  return [
    ...options.filter((path) => !isRead(path)).map((path) => `${OPTIONS}:1: no code reads the option ${path}`),
    ...limits.filter((name) => !readsLimit(code, name)).map((name) => `${LIMITS}:1: no code reads the limit ${name}`),
  ];
}

/** Whether code reads a limit as a member of limits, or takes it out of them. Many names are those of other things. */
function readsLimit(code: string, name: string): boolean {
  const taken = String.raw`\{[^{}]*\b${name}\b[^{}]*\}`;
  return new RegExp(String.raw`\b[lL]imits\??\.${name}\b|${taken}\s*=\s*[^;\n]*[lL]imits\b|\blimits: ${taken}`).test(
    code,
  );
}
