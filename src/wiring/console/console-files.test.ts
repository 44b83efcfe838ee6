import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { bundleConsole } from './bundle.ts';

/** The maximum that a browser loads, compressed, with all screens. */
const MAX_BYTES = 300_000;
/** The maximum that it loads before it shows the first screen. */
const FIRST_BYTES = 80_000;
/** A static import of another file of the bundle. */
const IMPORT = /(?:\bfrom|\bimport)\s*"\.\/([^"]+)"/g;

type Files = Readonly<Record<string, string>>;

const bytesOf = (content: string) => Buffer.from(content, 'base64');

/** Returns the names of scripts and of all that they import. */
function withImports(files: Files, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = new TextDecoder().decode(Bun.gunzipSync(bytesOf(files[name] ?? '')));
    waiting.push(...[...text.matchAll(IMPORT)].map(([, imported = '']) => imported));
  }
  return found;
}

test('the console is small, and its first screen smaller', async () => {
  const files = await bundleConsole(join(import.meta.dir, '../../console'));
  const names = Object.keys(files);
  const total = (some: Iterable<string>) => [...some].reduce((sum, name) => sum + bytesOf(files[name] ?? '').length, 0);
  expect(total(names)).toBeLessThan(MAX_BYTES);
  const scripts = names.filter((name) => /^(?:page|overview)-.*\.js$/.test(name));
  expect(scripts).toHaveLength(2);
  const first = withImports(files, scripts);
  expect(first.size).toBeLessThan(names.length / 2);
  const styles = names.filter((name) => name.endsWith('.css'));
  expect(total([...first, ...styles])).toBeLessThan(FIRST_BYTES);
  expect(total(first)).toBeGreaterThan(10_000);
});

test('nothing in the bundle creates code from text', async () => {
  const files = await bundleConsole(join(import.meta.dir, '../../console'));
  for (const [name, content] of Object.entries(files).filter(([file]) => file.endsWith('.js'))) {
    const text = new TextDecoder().decode(Bun.gunzipSync(Buffer.from(content, 'base64')));
    expect([name, /\beval\(|\bnew Function\(/.exec(text)?.[0]]).toEqual([name, undefined]);
  }
});
