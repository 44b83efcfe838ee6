import { describe, expect, test } from 'bun:test';
import { describedErrors } from './error-guide.ts';
import { errorPage } from './error-page.ts';

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

for (const { code, http, cause, remedy } of describedErrors()) {
  test(`${code} has a page`, () => {
    const page = errorPage(`/docs/errors/${code}`, HTML);
    expect(page?.type).toBe('text/html;charset=utf-8');
    expect(page?.body).toContain(`<h1>${code}</h1>`);
    expect(page?.body).toContain(`HTTP ${http}`);
    expect(page?.body).not.toMatch(/undefined|\[object|<script/);
    const { type, body = '' } = errorPage(`/docs/errors/${code}`, '*/*') ?? {};
    expect(type).toBe('application/json;charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code, http, cause, remedy });
  });
}

describe('the list', () => {
  test('links every page', () => {
    const { body = '' } = errorPage('/docs/errors', HTML) ?? {};
    for (const { code } of describedErrors()) expect(body).toContain(`href="/docs/errors/${code}"`);
  });

  test('is JSON for programs', () => {
    expect(JSON.parse(errorPage('/docs/errors', null)?.body ?? '')).toHaveLength(describedErrors().length);
  });
});

test('texts are escaped', () => {
  const { body = '' } = errorPage('/docs/errors/PATH_NOT_FOUND', HTML) ?? {};
  expect(body).not.toContain('&amp;amp;');
  for (const { code } of describedErrors()) {
    const text = errorPage(`/docs/errors/${code}`, HTML)?.body ?? '';
    expect(text.replaceAll(/<\/?[a-z][^<>]*>/g, '')).not.toMatch(/<(?!!doctype)/);
  }
});

test('there is nothing at other paths', () => {
  for (const path of ['/docs/errors/', '/docs/errors/NONE', '/docs/errors/toString', '/docs/errors/SQL/x']) {
    expect(errorPage(path, HTML)).toBeUndefined();
  }
});
