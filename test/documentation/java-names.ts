/** The table in the guide for Ignite users that maps methods of its Java interface to commands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the words in code marks of each row: those of Java, and those of svc. */
export function javaNames(): ReadonlyArray<readonly [java: readonly string[], svc: readonly string[]]> {
  const page = readFileSync(join(import.meta.dir, '../../docs/guides/migrating-from-ignite.md'), 'utf8');
  const section = /^## Names of Ignite's Java interface\n(.*?)^## /ms.exec(page)?.[1] ?? '';
  const codes = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  return [...section.matchAll(/^\| (`.*?) \| (.*) \|$/gm)].map(([, java = '', svc = '']) => [codes(java), codes(svc)]);
}
