import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { homePage } from './home-page.ts';

const OPTIONS = { serviceName: 'grid', version: '1.2.3', ready: true, serves: () => true };

test('browsers get a page whose policy allows only its own style', () => {
  const { type, body, headers } = homePage('text/html,application/xhtml+xml,*/*;q=0.8', OPTIONS);
  expect(type).toBe('text/html;charset=utf-8');
  expect(body).toContain('Version 1.2.3');
  expect(body).toContain('href="/grid?cmd=version"');
  const style = /<style>(.*?)<\/style>/s.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = headers['Content-Security-Policy'];
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`style-src 'sha256-${hash}'`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(body).not.toMatch(/<script|\son\w+=|\sstyle=/);
});

for (const accept of [null, '*/*', 'application/json', 'text/htmlx']) {
  test(`others get JSON: ${accept}`, () => {
    const { type, body } = homePage(accept, { ...OPTIONS, version: undefined, ready: false });
    expect(type).toStartWith('application/json');
    expect(JSON.parse(body)).toMatchObject({
      name: 'grid',
      state: 'not ready',
      endpoint: '/grid',
      try: '/grid?cmd=version',
    });
    expect(JSON.parse(body)).not.toHaveProperty('version');
  });
}

test('only pages that are served are linked, in both forms', () => {
  const options = { ...OPTIONS, serves: (path: string) => path === '/docs' || path === '/metrics' };
  expect(Object.keys(JSON.parse(homePage(null, options).body).links)).toEqual(['/docs', '/metrics']);
  const { body } = homePage('text/html', options);
  expect([...body.matchAll(/<li><a href="([^"]+)">/g)].map(([, path]) => path)).toEqual(['/docs', '/metrics']);
});
