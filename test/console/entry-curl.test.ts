import { expect, test } from 'bun:test';
import { entryCurl } from '../../src/console/caches/entry-curl.ts';

const endpoint = 'http://localhost:8080/svc';

test.each([
  [{ cacheName: 'c', key: 'k', keyType: 'string' }, false, `curl '${endpoint}/caches/c/entries/k?keyType=string'`],
  [{ cacheName: '', key: '', keyType: 'string' }, false, `curl '${endpoint}/caches/default/entries/?keyType=string'`],
  [
    { cacheName: "it's", key: 'a/b', keyType: 'java.math.BigDecimal' },
    true,
    `curl -u USER:PASSWORD '${endpoint}/caches/it%27s/entries/a%2Fb?keyType=java.math.BigDecimal'`,
  ],
  [{ cacheName: 'c', key: '..', keyType: 'string' }, false, undefined],
])('%j as curl', (address, needsLogin, text) => {
  expect(entryCurl({ endpoint, ...address }, needsLogin)).toBe(text);
});
