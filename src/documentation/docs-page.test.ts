import { expect, test } from 'bun:test';
import { docsPage } from './docs-page.ts';

async function textOf(path: string): Promise<string> {
  const body = docsPage(path, 'grid')?.body ?? '';
  if (typeof body === 'string') return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('the page has no script and no style of its own, and loads only what the service serves', async () => {
  const page = await textOf('/docs');
  expect(page).toContain('<title>grid: commands</title>');
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/);
  const loaded = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, path = '']) => path);
  expect(loaded.filter((path) => !/^(?:\/docs\/|\/openapi\.json$|data:,$)/.test(path))).toEqual([]);
  const files = loaded.filter((path) => path.startsWith('/docs/'));
  expect(files.length).toBeGreaterThan(3);
  for (const path of files) expect((await textOf(path)).length).toBeGreaterThan(50);
});

test('the policy allows the files and requests of the service alone', () => {
  const policy = docsPage('/docs', 'grid')?.headers['Content-Security-Policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('there is nothing at other paths', () => {
  for (const path of ['/docs/none', '/docs/../package.json', '/docs/swagger-ui.js.map']) {
    expect(docsPage(path, 'grid')).toBeUndefined();
  }
});
