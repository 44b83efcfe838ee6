/** Which service may be the primary, with a folder and with a bucket. */
import { afterEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedObjectStore } from '../../../../../../test/scripted-object-store.ts';
import { FolderLeases } from './folder-leases.ts';
import type { Attempt, AttemptOptions, Leases } from './leases.ts';
import { openLeases } from './open-leases.ts';
import type { FailoverTerms } from './record.ts';

/** A lease long enough that a busy machine answers each request within a quarter of it. */
const LEASE_MS = 8_000;
const TERMS: FailoverTerms = {
  leaseMs: LEASE_MS,
  url: null,
  schemaVersion: 1,
  declarations: 'd',
  isAutomatic: true,
  mayLoseMs: 0,
};
const ENDS: Array<() => void> = [];
afterEach(() => {
  for (const end of ENDS.splice(0)) end();
});

/** Several services with one destination. */
class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-leases-'));
  readonly #url: string;
  readonly store: ScriptedObjectStore | undefined;
  bootMs = 0;

  constructor(kind: 'folder' | 'bucket') {
    ENDS.push(() => rmSync(this.root, { recursive: true, force: true }));
    this.#url = `file://${join(this.root, 'destination')}`;
    if (kind === 'folder') return;
    const store = new ScriptedObjectStore();
    ENDS.push(() => store[Symbol.dispose]());
    this.store = store;
    this.#url = `s3://bucket/p?endpoint=${encodeURIComponent(store.origin)}`;
  }

  service(name: string): Leases {
    const folder = join(this.root, name);
    mkdirSync(folder, { recursive: true });
    const options = { url: this.#url, folder, leaseMs: LEASE_MS, bootMs: () => this.bootMs, processId: 1 };
    return openLeases(options, { environment: { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' } });
  }
}

function attempt(leases: Leases, options: Partial<AttemptOptions> = {}): Promise<Attempt> {
  return leases.attempt({ terms: TERMS, database: undefined, isForced: false, atMs: 5, ...options });
}

async function take(leases: Leases, options: Partial<AttemptOptions> = {}) {
  const found = await attempt(leases, options);
  if (found.kind !== 'taken') throw new Error(`it is held by ${found.record.folder}`);
  return found.taken;
}

describe.each([['folder'], ['bucket']] as const)('in a %s', (kind) => {
  test('a record names the last takeover: restarts are none', async () => {
    const place = new Place(kind);
    const a = place.service('a');
    const first = await take(a);
    const takeoverOf = ({ lease }: typeof first) => lease.record.failover?.takeover;
    expect(takeoverOf(first)).toEqual({ epoch: 1, atMs: 5, because: 'start', from: null, mayHaveLostMs: 0 });
    await first.lease.release(false);
    const again = await take(a);
    expect([again.lease.record.epoch, takeoverOf(again)]).toEqual([2, takeoverOf(first)]);
    await again.lease.release(true);
    const second = await take(place.service('b'), { atMs: 6 });
    expect(takeoverOf(second)).toMatchObject({ epoch: 3, atMs: 6, because: 'hand-over', mayHaveLostMs: 0 });
  });

  test('a primary learns with a renewal that another service asks for the lease, which then nobody else has', async () => {
    const place = new Place(kind);
    const [a, b, c] = [place.service('a'), place.service('b'), place.service('c')];
    const { lease } = await take(a);
    expect(await attempt(b)).toMatchObject({ kind: 'held', waitsFor: undefined });
    expect([await b.ask(), lease.heir]).toEqual([true, undefined]);
    while (!(await lease.renew()));
    expect(lease.heir).toBeString();
    await lease.release(true);
    for (const other of [a, c]) expect(await attempt(other)).toMatchObject({ kind: 'held', waitsFor: undefined });
    const { record } = (await take(b)).lease;
    expect([record.epoch, record.heir]).toEqual([2, undefined]);
  });

  test('what was released for a service that does not come goes to the others when the lease is over', async () => {
    const place = new Place(kind);
    const [a, b] = [place.service('a'), place.service('b')];
    const { lease } = await take(a);
    await b.ask();
    while (!(await lease.renew()));
    await lease.release(true);
    expect(await attempt(a)).toMatchObject({ kind: 'held' });
    place.bootMs = LEASE_MS * 1.2;
    expect(await attempt(a)).toMatchObject({ kind: 'held' });
    place.bootMs++;
    expect((await take(a)).lease.record.epoch).toBe(2);
  });

  test('there is nothing to ask for where nobody is the primary', async () => {
    const place = new Place(kind);
    const a = place.service('a');
    expect(await a.ask()).toBe(false);
    await (await take(a)).lease.release(true);
    expect(await place.service('b').ask()).toBe(false);
  });
});

const BEFORE: ReadonlyArray<[title: string, isReleased: boolean]> = [
  ['is the primary', false],
  ['has handed over', true],
];

test.each(BEFORE)('a version of an older schema is refused where a newer one %s', async (_title, isReleased) => {
  for (const kind of ['folder', 'bucket'] as const) {
    const place = new Place(kind);
    const { lease } = await take(place.service('a'), { terms: { ...TERMS, schemaVersion: 2, program: '9.9.9' } });
    if (isReleased) await lease.release(true);
    const refused = attempt(place.service('b'), { terms: { ...TERMS, program: '1.1.0' } });
    await expect(refused).rejects.toThrow('a newer program (9.9.9) and has schema version 2; this program (1.1.0)');
  }
});

test('a version of a newer schema takes over from one that has handed over, and not by itself from another', async () => {
  const place = new Place('bucket');
  const newer = { terms: { ...TERMS, schemaVersion: 2 } };
  const [a, b] = [place.service('a'), place.service('b')];
  const { lease } = await take(a);
  await attempt(b, newer);
  place.bootMs = 2 * LEASE_MS;
  expect(await attempt(b, newer)).toMatchObject({ kind: 'held', waitsFor: 'the data has to be migrated' });
  await lease.release(true);
  expect((await take(b, newer)).lease.record.failover?.schemaVersion).toBe(2);
});

test('a service leaves its lease to others for as long as it lasts after a term in which it did not serve', async () => {
  const place = new Place('bucket');
  const [a, b] = [place.service('a'), place.service('b')];
  const { epoch: unbegun } = (await take(a)).lease.record;
  expect((await take(a, { unbegun: unbegun - 1 })).lease.record.epoch).toBe(2);
  expect(await attempt(a, { unbegun: 2 })).toMatchObject({ kind: 'held', isSameService: true, waitsFor: undefined });
  await attempt(b);
  place.bootMs = LEASE_MS * 1.2 + 1;
  expect((await take(b)).lease.record.epoch).toBe(3);
  expect(await attempt(a, { unbegun: 2 })).toMatchObject({ kind: 'held', isSameService: false });
});

test('a release succeeds although another service has asked since the last renewal', async () => {
  const place = new Place('bucket');
  const { lease } = await take(place.service('a'));
  const b = place.service('b');
  await b.ask();
  await lease.release(true);
  expect((await b.read())?.record).toMatchObject({ released: true, heir: expect.any(String) });
});

test('a store is probed once by each service, however often it tries to be the primary', async () => {
  const place = new Place('bucket');
  const probes = () => place.store?.requests.filter((each) => each.includes('owner-probe')).length ?? 0;
  const b = place.service('b');
  await take(place.service('a'));
  await attempt(b);
  const before = probes();
  expect(before).toBeGreaterThan(2);
  for (let tries = 0; tries < 3; tries++) await attempt(b);
  place.bootMs = 2 * LEASE_MS;
  await take(b);
  expect(probes()).toBe(before);
});

const MAY_LOSE: ReadonlyArray<[promised: number | null | undefined, isForced: boolean, mayHaveLostMs: number | null]> =
  [
    [0, false, 0],
    [5_000, false, 5_000],
    [5_000, true, 5_000],
    [null, true, null],
    // Written by an earlier version.
    [undefined, true, null],
  ];

test.each(MAY_LOSE)(
  'a takeover from a primary that may lose %p ms, forced: %p, says so',
  async (mayLoseMs, isForced, most) => {
    const place = new Place('bucket');
    await take(place.service('a'), { terms: { ...TERMS, mayLoseMs, isAutomatic: !isForced } });
    const b = place.service('b');
    await attempt(b);
    place.bootMs = 2 * LEASE_MS;
    const { lease } = await take(b, { isForced });
    expect(lease.record.failover?.takeover?.mayHaveLostMs).toBe(most);
    await lease.release(true);
    const after = await take(place.service('c'));
    expect(after.lease.record.failover?.takeover?.mayHaveLostMs).toBe(0);
  },
);

const FILE_SYSTEMS: ReadonlyArray<[name: string, type: number]> = [
  ['NFS', 0x6969],
  // As a signed number.
  ['CIFS', 0xff534d42 - 2 ** 32],
  ['SMB 2', 0xfe534d42],
  ['9P', 0x01021997],
  ['FUSE', 0x65735546],
];

test.each(FILE_SYSTEMS)('a folder on %s is refused', async (name, type) => {
  const place = new Place('folder');
  const own = { folder: place.root, processId: 1, bootMs: () => 0 };
  const leases = new FolderLeases({
    ...{ ...own, destination: join(place.root, 'd'), hasObjects: async () => false },
    fileSystemOf: () => type,
  });
  await expect(attempt(leases)).rejects.toThrow(`is on a network file system (${name})`);
});

test('a folder with a record of something else is refused', async () => {
  const place = new Place('folder');
  mkdirSync(join(place.root, 'destination'));
  writeFileSync(join(place.root, 'destination/owner.json'), '{}');
  await expect(attempt(place.service('a'))).rejects.toThrow('is not a record of svc');
});
