/**
 * Builds the documentation site and checks it without a server: pages, links, headings and search work, and no page
 * loads anything from another host.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { buildSite, missingTool, placeOf, siteFiles } from '../../../scripts/build-site.ts';

const root = join(import.meta.dir, '../../..');
const inCi = process.env.SVC_TEST_CI === 'true' || process.env.CI === 'true';
const missing = missingTool();
if (missing !== undefined && !inCi) process.stdout.write(`skipped: the documentation site, ${missing}\n`);

const BUILD_LIMIT_MS = 300_000;
const SEARCH_LIMIT_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-site-'));
const site = join(folder, 'site');

/** Messages of the search worker of the generator: set up, ready, query, result. */
const MESSAGE = { setup: 0, ready: 1, query: 2, result: 3 } as const;

interface SearchMessage {
  readonly type: number;
  readonly data?: { readonly items: ReadonlyArray<ReadonlyArray<{ readonly location: string }>> };
}

/** Returns the addresses that search finds for a text. */
async function search(text: string): Promise<string[]> {
  const index: { config: unknown; docs: unknown } = JSON.parse(
    readFileSync(join(site, 'search/search_index.json'), 'utf8'),
  );
  const [script] = new Bun.Glob('assets/javascripts/workers/search.*.js').scanSync({ cwd: site });
  const worker = new Worker(join(site, script ?? ''));
  try {
    return await new Promise<string[]>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('the search does not answer')), SEARCH_LIMIT_MS);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data: message }: MessageEvent<SearchMessage>) => {
        if (message.type === MESSAGE.ready) worker.postMessage({ type: MESSAGE.query, data: text });
        if (message.type !== MESSAGE.result) return;
        clearTimeout(timer);
        resolve((message.data?.items ?? []).flatMap(([first]) => first?.location ?? []));
      };
      const data = { config: index.config, docs: index.docs, options: { suggest: true } };
      worker.postMessage({ type: MESSAGE.setup, data });
    });
  } finally {
    worker.terminate();
  }
}

function pagesOf(): string[] {
  return [...new Bun.Glob('**/*.html').scanSync({ cwd: site })].sort();
}

/** Returns the addresses in a page that a browser follows or loads, without those in code. */
function addressesIn(
  html: string,
): Array<{ readonly attribute: string; readonly address: string; readonly tag: string }> {
  return [...html.matchAll(/<(a|link|script|img|iframe|source)\b[^>]*?\s(href|src)=(?:"([^"]*)"|([^\s>]+))/g)].map(
    ([, tag = '', attribute = '', quoted, bare]) => ({ tag, attribute, address: quoted ?? bare ?? '' }),
  );
}

function anchorsIn(html: string): Set<string> {
  return new Set(
    [...html.matchAll(/\s(?:id|name)=(?:"([^"]*)"|([^\s>]+))/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
  );
}

describe.skipIf(missing !== undefined && !inCi)('the documentation site', () => {
  beforeAll(() => {
    buildSite({ tools: join(root, 'build/site-tools'), source: join(folder, 'source'), site });
  }, BUILD_LIMIT_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has a page for every document that the index leads to', () => {
    const built = pagesOf();
    const wanted = siteFiles()
      .filter((path) => path.endsWith('.md'))
      .map((path) =>
        placeOf(path)
          .replace(/(^|\/)README\.md$/, '$1index.md')
          .replace(/\.md$/, '.html'),
      );
    expect(wanted.length).toBeGreaterThan(30);
    expect(wanted.filter((path) => !built.includes(path))).toEqual([]);
  });

  test('begins with why, when and when not', () => {
    const html = readFileSync(join(site, 'index.html'), 'utf8');
    const headings = [...html.matchAll(/<h2 id="?([\w-]+)/g)].map(([, id]) => id);
    expect(headings.slice(0, 3)).toEqual(['why', 'when', 'when-not']);
    expect(html).toContain('first-requests.html');
  });

  test('links lead to files and headings of the site', () => {
    const anchors = new Map(pagesOf().map((page) => [page, anchorsIn(readFileSync(join(site, page), 'utf8'))]));
    const wrong: string[] = [];
    let count = 0;
    for (const page of anchors.keys()) {
      // Its links are absolute: a server shows it for any path.
      if (page === '404.html') continue;
      for (const { address } of addressesIn(readFileSync(join(site, page), 'utf8'))) {
        if (/^(?:[a-z]+:|\/\/)/.test(address) || address === '') continue;
        count += 1;
        const [path = '', anchor] = address.split('#');
        const target = path === '' ? page : relative(site, join(site, dirname(page), decodeURIComponent(path)));
        if (!existsSync(join(site, target))) wrong.push(`${page}: ${address}: no file`);
        else if (anchor && anchors.has(target) && !anchors.get(target)?.has(decodeURIComponent(anchor)))
          wrong.push(`${page}: ${address}: no heading`);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(2000);
  });

  test('no page loads anything from another host', () => {
    const loaded = pagesOf().flatMap((page) =>
      addressesIn(readFileSync(join(site, page), 'utf8'))
        .filter(({ tag, address }) => tag !== 'a' && /^(?:https?:)?\/\//.test(address))
        .map(({ address }) => `${page}: ${address}`),
    );
    expect(loaded).toEqual([]);
    const styles = [...new Bun.Glob('**/*.css').scanSync({ cwd: site })].map((path) =>
      readFileSync(join(site, path), 'utf8'),
    );
    expect(styles.join('\n').match(/(?:url\(|@import)\s*["']?(?:https?:)?\/\/[^)]*/g)).toBeNull();
  });

  const searches: ReadonlyArray<readonly [text: string, page: string]> = [
    ['time zones', 'docs/guides/data-types.html#time-zones'],
    ['CACHE_NOT_FOUND', 'docs/errors/CACHE_NOT_FOUND.html'],
    ['updatettl', 'docs/reference/entry.html#updatettl'],
    ['putall', 'docs/reference/bulk.html#putall'],
    ['Retry-After', 'docs/errors.html#http-status'],
  ];
  test.each(searches)(
    'search finds %s',
    async (text, page) => expect(await search(text)).toContain(page),
    2 * SEARCH_LIMIT_MS,
  );
});
