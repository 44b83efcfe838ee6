import { expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { commandCases, compatibilityCases, failsWith, openTestService } from '../../../test/test-service.ts';

const NOTHING = { types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };

commandCases('metadata', [
  ['describes the default cache', ['metadata', { cacheName: 'default', ...NOTHING }]],
  [
    'describes the named cache',
    ['getorcreate cacheName=c', null],
    ['metadata cacheName=c', { cacheName: 'c', ...NOTHING }],
  ],
  [
    'returns an array of all caches for *',
    ['getorcreate cacheName=c', null],
    [
      'metadata cacheName=*',
      [
        { cacheName: 'default', ...NOTHING },
        { cacheName: 'c', ...NOTHING },
      ],
    ],
  ],
  ['rejects an unknown cache', ['metadata cacheName=none', failsWith('Failed to find cache')]],
]);

compatibilityCases('metadata', [
  ['returns an array of all caches', ['metadata', [{ cacheName: 'default', ...NOTHING }]]],
  ['rejects an unknown cache with an error text of its own', ['metadata cacheName=no', failsWith('no is not found')]],
  ['rejects any cache name on a single node', ['metadata cacheName=default', failsWith('default is not found')]],
]);

test('the array of Ignite shows the pseudo-fields only of types without other fields', async () => {
  const pseudo = { _KEY: 'java.lang.Integer', _VAL: 'java.lang.String' };
  const grid = openModelGrid({ clock: new ManualClock() });
  grid.caches.metadata = async (cacheName) => ({
    ...{ cacheName, types: ['Bare', 'Person'], keyClasses: {}, valClasses: {}, indexes: {} },
    fields: { Bare: pseudo, Person: { ...pseudo, NAME: 'java.lang.String' } },
  });
  const service = openTestService({ compatibility: 'reference', service: { grid } });
  expect((await service.send('metadata')).response).toMatchObject([
    { fields: { Bare: pseudo, Person: { NAME: 'java.lang.String' } } },
  ]);
  const [described] = (await service.send('metadata')).response as [{ fields: { Person: object } }];
  expect(Object.keys(described.fields.Person)).toEqual(['NAME']);
});

test('metadata omits a cache that is destroyed while all caches are described', async () => {
  const service = openTestService();
  await service.send('getorcreate cacheName=c');
  const described = service.send('metadata cacheName=*');
  await service.send('destcache cacheName=c');
  expect((await described).error).toBeNull();
});
