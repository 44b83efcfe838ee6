/** Standbys of another version: of this version over the objects of an earlier one, and of an older version. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
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
import { queryOf } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 120_000;
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
