import { describe, expect, test } from 'bun:test';
import { GridError } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { CacheRules } from './cache-rules.ts';
import type { CacheDeclaration } from './declarations.ts';
import type { CacheDefinition, CacheRequest } from './grid.ts';

const rules = new CacheRules(
  [{ name: 'fast', persistent: false, maxSizeBytes: 1 }],
  [
    { name: 'Mine', mode: 'REPLICATED', region: 'fast', writeMode: 'FULL_ASYNC', group: 'g' },
    { name: 'Sessions', ttlMs: 60_000, sliding: true },
  ],
  { ...DEFAULT_LIMITS, caches: 3, cacheNameCharacters: 10 },
);

const EXISTING: readonly CacheDefinition[] = [
  rules.fromRequest('a', { group: 'one', backups: 1 }, []),
  rules.fromRequest('b', {}, []),
];

describe('a request for a cache', () => {
  const cases: ReadonlyArray<readonly [string, CacheRequest, Partial<CacheDefinition>]> = [
    ['without settings creates a partitioned one', {}, { mode: 'PARTITIONED', backups: 0, writeMode: 'FULL_SYNC' }],
    [
      'in the default region persists',
      {},
      { region: 'default', persistent: true, group: undefined, schema: undefined },
    ],
    ['with an empty template', { template: '' }, { mode: 'PARTITIONED' }],
    ['with a template in another case', { template: 'RePlIcAtEd' }, { mode: 'REPLICATED' }],
    ['that is replicated ignores backups', { template: 'replicated', backups: 2 }, { backups: 2_147_483_647 }],
    [
      'of a declared template has the settings of the template',
      { template: 'MINE' },
      { mode: 'REPLICATED', region: 'fast', persistent: false, writeMode: 'FULL_ASYNC', group: 'g' },
    ],
    ['overrides its template', { template: 'mine', region: 'default', group: 'h' }, { region: 'default', group: 'h' }],
    ['with a time to live', { ttlMs: 1_000 }, { ttlMs: 1_000 }],
    ['with sliding expiry', { ttlMs: 1_000, sliding: true }, { ttlMs: 1_000, sliding: true }],
    ['without sliding expiry of the template', { template: 'sessions', sliding: false }, { ttlMs: 60_000 }],
    ['with the expiry of the template', { template: 'sessions' }, { ttlMs: 60_000, sliding: true }],
    ['with the longest time to live', { ttlMs: 1e300 }, { ttlMs: 8_640_000_000_000_000 }],
    ['of a group with the same settings', { group: 'one', backups: 1 }, { group: 'one' }],
  ];
  for (const [title, request, expected] of cases) {
    test(title, () => expect(rules.fromRequest('new', request, EXISTING)).toMatchObject(expected));
  }

  const rejected: ReadonlyArray<readonly [string, string, CacheRequest, string]> = [
    ['without a name', '', {}, 'CACHE_NAME_INVALID'],
    ['with a name that is too long', 'x'.repeat(11), {}, 'CACHE_NAME_INVALID'],
    ['with a lone surrogate in its name', 'a\ud800', {}, 'CACHE_NAME_INVALID'],
    ['with a reserved name', 'svc-sys-x', {}, 'CACHE_NAME_INVALID'],
    ['with a name that Ignite reserves', 'ignite-sys-cache', {}, 'CACHE_NAME_INVALID'],
    ['of an unknown template', 'new', { template: 'x' }, 'TEMPLATE_NOT_FOUND'],
    ['in an unknown region', 'new', { region: 'x' }, 'REGION_NOT_FOUND'],
    ['with sliding expiry only', 'new', { sliding: true }, 'SLIDING_WITHOUT_TTL'],
    ['with negative backups', 'new', { backups: -1 }, 'BACKUPS_NEGATIVE'],
    ['of a group with other backups', 'new', { group: 'one', backups: 2 }, 'GROUP_MISMATCH'],
    ['of a group with another mode', 'new', { group: 'one', template: 'REPLICATED' }, 'GROUP_MODE_MISMATCH'],
    ['of a group in another region', 'new', { group: 'one', backups: 1, region: 'fast' }, 'GROUP_REGION_MISMATCH'],
  ];
  for (const [title, name, request, code] of rejected) {
    test(`${title} is rejected`, () => {
      expect(errorOf(() => rules.fromRequest(name, request, EXISTING))).toBe(code);
    });
  }

  test('names the known templates and regions in errors', () => {
    expect(() => rules.fromRequest('new', { template: 'x' }, [])).toThrow('PARTITIONED, REPLICATED, Mine');
    expect(() => rules.fromRequest('new', { region: 'x' }, [])).toThrow('default, fast');
  });

  test('beyond the limit of caches is rejected', () => {
    const full = [...EXISTING, rules.fromRequest('c', {}, EXISTING)];
    expect(errorOf(() => rules.fromRequest('d', {}, full))).toBe('CACHE_LIMIT');
  });
});

test('the schema of a declared cache with entities is by default its name', () => {
  const entities = [{ keyType: 'integer', valueType: 'T', fields: [] }];
  const schemaOf = (declaration: CacheDeclaration) => rules.fromDeclaration(declaration, []).schema;
  expect(schemaOf({ name: 'c' })).toBe(undefined);
  expect(schemaOf({ name: 'c', entities })).toBe('c');
  expect(schemaOf({ name: 'c', entities, schema: 'S' })).toBe('S');
});

test('a declaration of the default region changes it', () => {
  const changed = new CacheRules([{ name: 'default', persistent: false }], [], DEFAULT_LIMITS);
  expect(changed.fromRequest('c', {}, []).persistent).toBe(false);
});

function errorOf(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error instanceof GridError ? error.code : error;
  }
}
