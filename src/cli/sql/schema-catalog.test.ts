import { describe, expect, test } from 'bun:test';
import { completeSql } from './schema-catalog.ts';

const CATALOG = [
  { schema: 'PUBLIC', name: 'CITY', columns: ['ID', 'NAME', 'PEOPLE'] },
  { schema: 'PUBLIC', name: 'Country', columns: ['CODE'] },
  { schema: 'SHOP', name: 'ORDERS', columns: ['ID', 'CITY_ID'] },
  { schema: 'SYS', name: 'TABLES', columns: ['TABLE_NAME'] },
];

describe('completeSql', () => {
  const cases: ReadonlyArray<readonly [string, readonly string[], string]> = [
    ['select * from co', ['"Country"', 'column', 'commit', 'count'], 'co'],
    ['SELECT * FROM CI', ['CITY'], 'CI'],
    ['sel', ['select'], 'sel'],
    ['SELECT * FROM CITY WHE', ['WHEN', 'WHERE'], 'WHE'],
    ['select * from city ord', ['orders', 'order'], 'ord'],
    ['select city.wh', [], 'city.wh'],
    ['select peo', [], 'peo'],
    ['select * from city where peo', ['people'], 'peo'],
    ['select city.', ['city.ID', 'city.NAME', 'city.PEOPLE'], 'city.'],
    ['select city.na', ['city.name'], 'city.na'],
    ['select * from shop.', ['shop.ORDERS'], 'shop.'],
    ['select * from sys.ta', ['sys.tables'], 'sys.ta'],
    ['select * from "Cou', ['"Country"'], '"Cou'],
    ['select * from s', ['shop', 'sys', 'select', 'set'], 's'],
  ];
  for (const [text, candidates, word] of cases) {
    test(text, () => expect(completeSql(text, CATALOG)).toEqual([[...candidates], word]));
  }
});
