/** A service inside the program of a test writes back what it has read: with `reset`, and with fixtures. */
import { expect, test } from 'bun:test';
import { startTestService, type TestService } from '../../../src/testing.ts';
import { storeEntries } from './entries.suite.ts';
import { Requests } from './requests.ts';
import { storeRows } from './rows.suite.ts';

const LIMIT_MS = 60_000;

type Place = { readonly cacheName: string } | { readonly table: string };

/** Ways to lose the stored data, and to write it back. */
const WAYS: Readonly<Record<string, (service: TestService, requests: Requests, place: Place) => Promise<unknown>>> = {
  'reset of what is cleared': async (service, requests, place) => {
    await requests.command({ cmd: 'clear', cacheName: cacheOf(place) });
    await service.reset();
  },
  'reset of what is destroyed': async (service, requests, place) => {
    if ('table' in place) await requests.run(`DROP TABLE ${place.table}`);
    else await requests.command({ cmd: 'destcache', ...place });
    await service.reset();
  },
  'fixtures as csv': async (service, requests, place) => {
    if (!('table' in place)) return;
    const csv = await requests.exported({ ...place, format: 'csv' });
    await requests.command({ cmd: 'clear', cacheName: cacheOf(place) });
    await service.load({ ...place, csv });
  },
  'fixtures as ndjson': async (service, requests, place) => {
    if (!('table' in place)) return;
    const ndjson = await requests.exported({ ...place, format: 'ndjson' });
    await requests.command({ cmd: 'clear', cacheName: cacheOf(place) });
    await service.load({ ...place, ndjson });
  },
};

const cacheOf = (place: Place): string => ('table' in place ? `SQL_PUBLIC_${place.table}` : place.cacheName);

test(
  'a test service writes back keys, values and columns of each type',
  async () => {
    await using service = await startTestService();
    const requests = new Requests(service);
    const places: readonly Place[] = [
      { cacheName: await storeEntries(requests, 'key') },
      { cacheName: await storeEntries(requests, 'value') },
      { table: await storeRows(requests) },
    ];
    await service.snapshot();
    for (const place of places) {
      const linesOf = async () =>
        (await requests.exported({ ...place, format: 'ndjson' })).trimEnd().split('\n').sort();
      const before = await linesOf();
      expect(before.length).toBeGreaterThan(10);
      for (const [name, way] of Object.entries(WAYS)) {
        await way(service, requests, place);
        expect([name, place, await linesOf()]).toEqual([name, place, before]);
      }
    }
  },
  LIMIT_MS,
);
