import { expect, test } from 'bun:test';
import type { Declarations } from './configuration.ts';
import type { SvcConfiguration } from './declaration.ts';
import { readDeclarations } from './declarations.ts';
import { Problems } from './problems.ts';
import { Node } from './shape.ts';

function read(content: SvcConfiguration | Record<string, unknown>): Declarations {
  const parts = new Map(Object.entries(content).map(([name, value]) => [name, new Node(value, name)]));
  const problems = new Problems();
  const declarations = readDeclarations(parts, '/nowhere/svc.config.ts', problems);
  problems.check();
  return declarations;
}

class Point {
  x = 0;
  y = 0n;
  label = '';
  on = false;
  at = new Date(0);
  tags: string[] = [];
  more = undefined;
}

class Typed {
  static readonly fields = { id: 'int', ids: 'long[]' } as const;
  id = 0;
}

const INT = { kind: 'scalar', type: 'integer' } as const;
const ENTITY = { keyType: 'int', valueType: 'T', fields: { a: 'int', b: 'string' } } as const;

const READ: ReadonlyArray<readonly [title: string, given: SvcConfiguration, expected: Partial<Declarations>]> = [
  [
    'nothing',
    {},
    { users: [], permissions: {}, caches: [], seeds: [], classes: [], tasks: {}, interceptor: undefined },
  ],
  [
    'regions',
    { regions: [{ name: 'r', persistent: false, maxSizeBytes: 5 }] },
    { regions: [{ name: 'r', persistent: false, maxSizeBytes: 5 }] },
  ],
  [
    'a region with a sync interval',
    { regions: [{ name: 'r', syncIntervalMs: 1_000 }] },
    { regions: [{ name: 'r', syncIntervalMs: 1_000 }] },
  ],
  [
    'templates',
    { templates: [{ name: 't', mode: 'REPLICATED', backups: 1, writeMode: 'FULL_ASYNC', ttlMs: 5, sliding: true }] },
    { templates: [{ name: 't', mode: 'REPLICATED', backups: 1, writeMode: 'FULL_ASYNC', ttlMs: 5, sliding: true }] },
  ],
  ['users', { users: [{ name: 'ann', password: 'x' }] }, { users: [{ name: 'ann', password: 'x' }] }],
  [
    'roles',
    {
      permissions: {
        roles: { r: { commands: ['@entry'], caches: { 'a*': 'read', b: ['put'] }, administration: ['log'] } },
        others: ['r'],
      },
    },
    {
      permissions: {
        roles: { r: { commands: ['@entry'], caches: { 'a*': 'read', b: ['put'] }, administration: ['log'] } },
        others: ['r'],
      },
    },
  ],
  [
    'a cache with a table',
    {
      caches: [
        {
          name: 'c',
          entities: [
            {
              ...ENTITY,
              keyFields: ['a'],
              indexes: ['b', { name: 'i', fields: ['a', { name: 'b', descending: true }], unique: true }],
            },
          ],
        },
      ],
    },
    {
      caches: [
        {
          name: 'c',
          entities: [
            {
              keyType: 'integer',
              valueType: 'T',
              keyFields: ['a'],
              fields: [
                { name: 'a', type: INT },
                { name: 'b', type: { kind: 'scalar', type: 'string' } },
              ],
              indexes: [
                { fields: [{ name: 'b' }] },
                { name: 'i', fields: [{ name: 'a' }, { name: 'b', descending: true }], unique: true },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'fields in full',
    {
      caches: [
        {
          name: 'c',
          entities: [
            {
              ...ENTITY,
              fields: {
                a: { type: 'decimal', precision: 10, scale: 2, alias: 'AMOUNT', notNull: true, default: '1.50' },
              },
            },
          ],
        },
      ],
    },
    {
      caches: [
        {
          name: 'c',
          entities: [
            {
              keyType: 'integer',
              valueType: 'T',
              fields: [
                {
                  name: 'a',
                  alias: 'AMOUNT',
                  notNull: true,
                  type: { kind: 'scalar', type: 'decimal', precision: 10, scale: 2 },
                  defaultValue: { type: 'decimal', data: { unscaled: 150n, scale: 2 } },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'entries to begin with',
    {
      caches: [
        {
          name: 'c',
          entries: [
            { key: 1, keyType: 'int', value: { a: 1 }, valueType: 'T' },
            { key: 'x', value: true },
          ],
        },
      ],
    },
    {
      seeds: [
        {
          cache: 'c',
          entries: [
            { key: '1', keyType: 'int', value: '{"a":1}', valueType: 'T' },
            { key: 'x', keyType: 'string', value: 'true', valueType: 'string' },
          ],
        },
      ],
    },
  ],
  [
    'a class as fields',
    { classes: { T: { a: 'int', b: 'long[]', c: 'any' } } },
    {
      classes: [
        {
          typeName: 'T',
          source: 'class',
          fields: [
            { name: 'a', type: INT },
            { name: 'b', type: { kind: 'array', element: 'long' } },
            { name: 'c', type: { kind: 'any' } },
          ],
        },
      ],
    },
  ],
  [
    'a class with static fields',
    { classes: { T: Typed } },
    {
      classes: [
        {
          typeName: 'T',
          source: 'class',
          fields: [
            { name: 'id', type: INT },
            { name: 'ids', type: { kind: 'array', element: 'long' } },
          ],
        },
      ],
    },
  ],
  [
    'a class by its instance',
    { classes: { Point } },
    {
      classes: [
        {
          typeName: 'Point',
          source: 'class',
          fields: [
            { name: 'x', type: { kind: 'scalar', type: 'double' } },
            { name: 'y', type: { kind: 'scalar', type: 'long' } },
            { name: 'label', type: { kind: 'scalar', type: 'string' } },
            { name: 'on', type: { kind: 'scalar', type: 'boolean' } },
            { name: 'at', type: { kind: 'scalar', type: 'timestamp' } },
            { name: 'tags', type: { kind: 'list' } },
            { name: 'more', type: { kind: 'any' } },
          ],
        },
      ],
    },
  ],
];

for (const [title, given, expected] of READ) {
  test(`reads ${title}`, () => expect(read(given)).toMatchObject(expected));
}

test('functions of the file receive their arguments', () => {
  const interceptor = { onSend: (value: never) => value };
  const { scanPredicates, interceptor: read_ } = read({
    scanPredicates: { P: (key: { type: string }) => key.type === 'long' },
    interceptor,
  });
  expect(scanPredicates.get('P')?.({ type: 'long', data: 1n }, { type: 'null' })).toBe(true);
  expect(read_).toBe(interceptor);
});

test('users by certificate', () => {
  const { certificateUsers } = read({ certificateUsers: { 'CN=ann,O=Example': 'ann' } });
  expect([...certificateUsers]).toEqual([['CN=ann,O=Example', 'ann']]);
  expect(() => read({ certificateUsers: { 'CN=ann': 1 } })).toThrow(
    'certificateUsers["CN=ann"]: must be a non-empty string',
  );
});

const WRONG: ReadonlyArray<readonly [title: string, given: Record<string, unknown>, message: string]> = [
  ['caches that are not an array', { caches: {} }, 'caches: must be an array, not {}'],
  ['a cache without a name', { caches: [{}] }, 'caches[0].name: is missing'],
  ['an unknown member', { caches: [{ name: 'c', bakcups: 1 }] }, 'caches[0].bakcups: unknown, did you mean backups'],
  [
    'a wrong mode',
    { caches: [{ name: 'c', mode: 'LOCAL' }] },
    'caches[0].mode: must be one of PARTITIONED, REPLICATED, not "LOCAL"',
  ],
  [
    'negative backups',
    { templates: [{ name: 't', backups: -1 }] },
    'templates[0].backups: must be a whole number of 0 or more, not -1',
  ],
  [
    'a sync interval of a region that does not persist',
    { regions: [{ name: 'r', persistent: false, syncIntervalMs: 5 }] },
    'regions[0].syncIntervalMs: needs a region that persists',
  ],
  [
    'a sync interval that is too long',
    { regions: [{ name: 'r', syncIntervalMs: 60_001 }] },
    'regions[0].syncIntervalMs: must be at most 60000, not 60001',
  ],
  ['a cache declared twice', { caches: [{ name: 'c' }, { name: 'c' }] }, 'caches: c is declared twice'],
  [
    'an entity without fields',
    { caches: [{ name: 'c', entities: [{ keyType: 'int', valueType: 'T', fields: {} }] }] },
    'entities[0].fields: must be an object with at least one field',
  ],
  [
    'an entity whose keys are of a class without values',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, keyType: 'java.lang.Object' }] }] },
    'caches[0].entities[0].keyType: must be a scalar type or the name of a custom type, not "java.lang.Object"',
  ],
  [
    'an entity whose values are lists',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, valueType: 'java.util.ArrayList' }] }] },
    'caches[0].entities[0].valueType: must be a scalar type or the name of a custom type, not "java.util.ArrayList"',
  ],
  [
    'an unknown type',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, fields: { a: 'number' } }] }] },
    'caches[0].entities[0].fields.a: must be one of boolean, byte',
  ],
  [
    'an index of an unknown field',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, indexes: ['z'] }] }] },
    'entities[0].indexes[0]: unknown field z, the fields are a, b',
  ],
  [
    'a key field that is none',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, keyFields: ['z'] }] }] },
    'keyFields[0]: unknown field z',
  ],
  [
    'a default that is no value',
    { caches: [{ name: 'c', entities: [{ ...ENTITY, fields: { a: { type: 'int', default: 'x' } } }] }] },
    'fields.a.default',
  ],
  ['an entry without a value', { caches: [{ name: 'c', entries: [{ key: 1 }] }] }, 'entries[0].value: is missing'],
  ['a class without fields', { classes: { T: class {} } }, 'classes.T: must be a class whose instances have fields'],
  ['a task whose file does not exist', { tasks: { t: './none.ts' } }, 'tasks.t: there is no file /nowhere/none.ts'],
  [
    'a task that is no task',
    { tasks: { t: { map: 1 } } },
    'tasks.t: must be a function, an object with map, job and reduce',
  ],
  ['a predicate that is not a function', { scanPredicates: { P: 1 } }, 'scanPredicates.P: must be a function'],
  [
    'an interceptor that is not a function',
    { interceptor: { onSend: 1 } },
    'interceptor.onSend: must be a function, not 1',
  ],
  [
    'a role with an unknown member',
    { permissions: { roles: { r: { cmds: [] } } } },
    'permissions.roles.r.cmds: unknown',
  ],
  [
    'a role with a wrong right',
    { permissions: { roles: { r: { caches: { c: 'own' } } } } },
    'permissions.roles.r.caches.c: must be one of read, write, all',
  ],
  ['a name that needs quotes', { classes: { 'a b': 1 } }, 'classes["a b"]: must be an object, not 1'],
];

for (const [title, given, message] of WRONG) {
  test(`rejects ${title}`, () => expect(() => read(given)).toThrow(message));
}
