import { expect, test } from 'bun:test';
import { entryCurl, rowsCurl } from '../../../src/console/elements/resource-curl.ts';

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

const column = (name: string) => {
  const [schema = '', table = ''] = name.split('.');
  return { schema, table };
};

test.each([
  [['PUBLIC.CITY', 'PUBLIC.CITY'], `curl '${endpoint}/tables/CITY/rows'`],
  [['shop.Order'], `curl '${endpoint}/tables/%22shop%22.%22Order%22/rows'`],
  [['S.T'], `curl '${endpoint}/tables/S.T/rows'`],
  [['PUBLIC.A', 'PUBLIC.B'], undefined],
  [['PUBLIC.A', ''], undefined],
  [['SYS.NODES'], undefined],
  [[''], undefined],
  [[], undefined],
])('the table of the columns %j as curl', (names, text) => {
  expect(rowsCurl(endpoint, names.map(column), false)).toBe(text);
});
