import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { bundleConsole } from './bundle.ts';

/** What a browser loads at most, compressed, with all screens. */
const MOST_BYTES = 300_000;
/** What it loads before it shows the first screen. */
const FIRST_BYTES = 80_000;
/** Files that are loaded when they are opened. */
const LATER = /^(?:caches|query|commands|administration|palette|sent)-/;

test('the console is small, and its first screen smaller', async () => {
  const files = await bundleConsole(join(import.meta.dir, '../../console'));
  const sizes = Object.entries(files).map(([name, content]) => [name, Buffer.from(content, 'base64').length] as const);
  const total = (pattern: RegExp) => sizes.reduce((sum, [name, bytes]) => sum + (pattern.test(name) ? bytes : 0), 0);
  expect(total(/./)).toBeLessThan(MOST_BYTES);
  expect(total(/^(?:main|overview)-/)).toBeGreaterThan(10_000);
  const first = sizes.reduce((sum, [name, bytes]) => sum + (LATER.test(name) ? 0 : bytes), 0);
  expect(first).toBeLessThan(FIRST_BYTES);
});

test('nothing in the bundle creates code from text', async () => {
  const files = await bundleConsole(join(import.meta.dir, '../../console'));
  for (const [name, content] of Object.entries(files).filter(([file]) => file.endsWith('.js'))) {
    const text = new TextDecoder().decode(Bun.gunzipSync(Buffer.from(content, 'base64')));
    expect([name, /\beval\(|\bnew Function\(/.exec(text)?.[0]]).toEqual([name, undefined]);
  }
});
