/** Standbys of another version: of this version over the objects of an earlier one, and of an older version. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import product from '../../../package.json' with { type: 'json' };
import { systemClock } from '../../../src/base/clock.ts';
import { SvcClient } from '../../../src/client/client.ts';
import type { Lease } from '../../../src/engines/embedded/backup/continuous/failover/leases.ts';
import { openLeases } from '../../../src/engines/embedded/backup/continuous/failover/open-leases.ts';
import type { FailoverTerms } from '../../../src/engines/embedded/backup/continuous/failover/record.ts';
import { openDestination } from '../../../src/engines/embedded/backup/continuous/open-destination.ts';
import { Shipper } from '../../../src/engines/embedded/backup/continuous/shipper.ts';
import { SourceDatabase } from '../../../src/engines/embedded/backup/continuous/source-database.ts';
import { SCHEMA_VERSION } from '../../../src/engines/embedded/storage/schema.ts';
import { ADMIN_PASSWORD, contentOf, READ } from '../../fixtures/data-folders/contents.ts';
import { expectedOf, KEPT, unpackKept } from '../../fixtures/data-folders/kept.ts';
import { Pair } from '../../proof/failover/failover-pair.ts';
import { plant } from '../../proof/failover/planted.ts';
import { queryOf } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 120_000;
/** The version of a program with another schema. */
const LATER = '99.0.0';
const CONFIGURATION = {
  SVC_CONFIG: join(KEPT, 'fixture.config.ts'),
  SVC_AUTHENTICATION: 'true',
  SVC_ADMIN_PASSWORD: 'not the one of the folder',
};

const urlOf = ({ root }: Pair): string => `file://${join(root, 'destination')}`;

/** Ships a kept folder like a primary of its version, and holds the lease. */
async function shipped(pair: Pair, name: string, terms: Partial<FailoverTerms>): Promise<Lease> {
  const folder = join(pair.root, 'old');
  mkdirSync(folder);
  unpackKept(name, folder);
  const writer = new Database(join(folder, 'svc.db'));
  for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
  writer.run("UPDATE settings SET value = value WHERE name = 'consistentId'");
  const context = { clock: systemClock, environment: {} };
  const source = new SourceDatabase(join(folder, 'svc.db'));
  const leases = openLeases({ url: urlOf(pair), folder, leaseMs: 2_000, bootMs: () => 0, processId: 1 }, context);
  const attempt = await leases.attempt({
    terms: {
      ...{ leaseMs: 2_000, url: 'http://old.example', schemaVersion: 1, declarations: '', isAutomatic: true },
      ...terms,
    },
    database: source.databaseId(),
    isForced: false,
    atMs: systemClock.nowMs(),
  });
  if (attempt.kind === 'held') throw new Error('the destination is not empty');
  const { lease } = attempt.taken;
  const destination = openDestination(urlOf(pair), context);
  const epoch = BigInt(lease.record.epoch);
  const shipper = new Shipper({ source, destination, epoch, clock: systemClock, bytesPerSecond: 0, isFailover: true });
  await shipper.start();
  expect(await shipper.seal()).toBe(true);
  source.release();
  writer.close();
  return lease;
}

/** Returns the hash of the declarations of a service, which its record has. */
async function declarationsOf(): Promise<string> {
  await using pair = new Pair({ env: CONFIGURATION });
  await pair.start('a');
  const record: unknown = await Bun.file(join(pair.root, 'destination/owner.json')).json();
  return (record as { readonly failover: FailoverTerms }).failover.declarations;
}

// Version 1.0.0 has no failover: its folder represents a primary with an older schema.
test.each(['1.0.0', '1.1.0-schema2', '1.1.0'])(
  'a standby follows a primary with the data of %s, and has all of it when that hands over',
  async (name) => {
    const declarations = await declarationsOf();
    await using pair = new Pair({ env: CONFIGURATION });
    const lease = await shipped(pair, name, { declarations });
    const b = await pair.start('b');
    await until('it follows', async () => (await pair.metric('b', 'svc_standby_position')) === 1);
    const role = await (await fetch(`${b.origin}/health/role`)).json();
    expect(role).toMatchObject({ role: 'standby', primary: 'http://old.example', epoch: 1 });
    await lease.release(true);
    await until('it is the primary', async () => (await fetch(`${b.origin}/health/ready`)).ok);
    const login = { cmd: 'authenticate', 'svc.login': 'svc', 'svc.password': ADMIN_PASSWORD };
    const { sessionToken } = await b.send(queryOf(login));
    const expected = expectedOf(name);
    for (const request of READ) {
      const { text } = await b.send(queryOf({ ...request, sessionToken: sessionToken ?? '' }));
      expect([queryOf(request), contentOf(text)]).toEqual([queryOf(request), expected.get(queryOf(request)) ?? '']);
    }
  },
  LIMIT_MS,
);

test.each([
  ['answers', false],
  ['has handed over', true],
])(
  'a primary of a newer version that %s is refused before anything is copied',
  async (_title, isReleased) => {
    await using pair = new Pair();
    const lease = await shipped(pair, '1.1.0', { schemaVersion: SCHEMA_VERSION + 1, program: '9.9.9' });
    if (isReleased) await lease.release(true);
    const refused = pair.start('b');
    await expect(refused).rejects.toThrow(`a newer program (9.9.9) and has schema version ${SCHEMA_VERSION + 1}`);
    expect(existsSync(join(pair.root, 'b/svc.db'))).toBe(false);
    expect(readdirSync(join(pair.root, 'b')).filter((each) => each.startsWith('restoring'))).toEqual([]);
    if (!isReleased) await lease.release(false);
  },
  LIMIT_MS,
);

/** Makes a program of a later version, whose migration adds a table; returns its command. */
function laterProgram(folder: string): readonly string[] {
  return plant(folder, [
    ['package.json', `"version": "${product.version}"`, `"version": "${LATER}"`],
    [
      'src/engines/embedded/storage/schema.ts',
      '];\n\nexport const SCHEMA_VERSION',
      "  { dataFile: 'CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;' },\n];\n\nexport const SCHEMA_VERSION",
    ],
  ]);
}

test(
  'no request fails while both services are replaced by a version that migrates the data, and the old one is refused',
  async () => {
    await using pair = new Pair();
    const later = laterProgram(join(pair.root, 'later'));
    const a = await pair.startPrimary('a');
    await pair.start('b', {}, later);
    await pair.untilFollowing('b');
    const { url } = pair.service('b');
    const written = new Map<string, number>();
    const failures: string[] = [];
    let isOver = false;
    const load = ['x', 'y', 'z'].map(async (key) => {
      const client = new SvcClient({ url: `${a.url},${url}` });
      for (let count = 1; !isOver; count++) {
        try {
          await client.put({ key, val: `${count}` });
          written.set(key, count);
        } catch (error) {
          failures.push(String(error));
        }
      }
    });
    const isWritten = async () => {
      const before = written.get('x') ?? 0;
      await until('it is written on', () => (written.get('x') ?? 0) > before + 10);
    };
    await isWritten();
    expect(await a.stop()).toBe(0);
    await pair.untilPrimary('b');
    await isWritten();
    await expect(pair.start('a')).rejects.toThrow(
      `a newer program (${LATER}) and has schema version ${SCHEMA_VERSION + 1}; this program (${product.version})`,
    );
    await pair.start('a', {}, later);
    await pair.untilFollowing('a');
    expect(await pair.service('b').stop()).toBe(0);
    await pair.untilPrimary('a');
    await isWritten();
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    for (const [key, value] of written) expect(await pair.service('a').command(`cmd=get&key=${key}`)).toBe(`${value}`);
    expect(await pair.service('a').command('cmd=version')).toBe(LATER);
  },
  LIMIT_MS,
);
