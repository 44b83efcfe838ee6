/** A bucket of a real object store as destination; s3-failures.test.ts has the failures. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../../test/fixtures/base/manual-clock.ts';
import { litestream } from '../../../../../test/litestream.ts';
import { ACCESS, type ObjectStore, startObjectStore } from '../../../../../test/seaweedfs.ts';
import { type Clock, systemClock, type Timer } from '../../../../base/clock.ts';
import type { Destination, ShippingOwner } from './destination.ts';
import { openDestination } from './open-destination.ts';
import { writeDatabase } from './restore-objects.ts';
import { planRestore } from './restore-plan.ts';
import { Shipper } from './shipper.ts';
import { SourceDatabase } from './source-database.ts';

const OWNER: ShippingOwner = { database: 'one', host: 'h', processId: 1, folder: '/data' };
const NAME = { level: 0, first: 1n, last: 1n };

/** Time is advanced manually, except for the pauses between attempts of a request. */
class OwnerClock extends ManualClock {
  override after(delayMs: number, action: () => void): Timer {
    return systemClock.after(delayMs, action);
  }
}

async function* parts(count: number, fill = 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield new Uint8Array(1024 * 1024).fill(at + fill);
}

async function bytesOf(destination: Destination): Promise<number> {
  let bytes = 0;
  for await (const chunk of destination.read(NAME)) bytes += chunk.length;
  return bytes;
}

describe('a real object store', () => {
  let store: ObjectStore | undefined;
  beforeAll(async () => {
    store = await startObjectStore();
  }, 120_000);
  afterAll(() => store?.[Symbol.asyncDispose]());
  const open = (url: string, clock: Clock = systemClock) => openDestination(url, { clock, environment: ACCESS });
  const urlOf = (prefix: string): string =>
    `s3://${store?.bucket}/${prefix}?endpoint=${store?.endpoint}&region=us-east-1&forcePathStyle=true`;

  test('every shipped position is restored, by Litestream, too', async () => {
    if (store === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'svc-s3-'));
    const writer = new Database(join(folder, 'a.db'), { create: true });
    for (const pragma of ['journal_mode = WAL', 'wal_autocheckpoint = 0']) writer.run(`PRAGMA ${pragma}`);
    writer.run('CREATE TABLE settings (name, value); CREATE TABLE t (id INTEGER PRIMARY KEY, text)');
    const url = urlOf('chain');
    const destination = open(url);
    const ownership = await destination.acquire(OWNER);
    const source = new SourceDatabase(join(folder, 'a.db'));
    const clock = systemClock;
    const shipper = new Shipper({ source, destination, epoch: ownership.epoch, clock, bytesPerSecond: 0 });
    await shipper.start();
    for (let round = 0; round < 3; round++) {
      writer.run('INSERT INTO t (text) VALUES (hex(randomblob(20000)))');
      await shipper.ship();
    }
    await ownership.release();
    const program = litestream();
    const objects = await open(url).objects();
    expect(objects).toHaveLength(4);
    for (const { last: position } of objects) {
      const file = join(folder, `restored-${position}.db`);
      const descriptor = openSync(file, 'w+');
      const { isCompared } = await writeDatabase(
        destination,
        await planRestore(destination, objects, { position }),
        descriptor,
      );
      closeSync(descriptor);
      expect(isCompared).toBe(true);
      if (program === undefined) continue;
      const other = join(folder, `litestream-${position}.db`);
      const txid = position.toString(16).padStart(16, '0');
      const run = Bun.spawnSync([program, 'restore', '-txid', txid, '-o', other, url], { env: { ...ACCESS } });
      expect([run.exitCode, run.stderr.toString()]).toEqual([0, expect.any(String)]);
      expect(readFileSync(other).equals(readFileSync(file))).toBe(true);
    }
    writer.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  test('an object is created once, in one part or in several, with its time', async () => {
    if (store === undefined) return;
    for (const count of [1, 40]) {
      const destination = open(urlOf(`parts${count}`));
      const bytes = count * 1024 * 1024;
      expect(await destination.create(NAME, 1_234_567_890_123, parts(count))).toBe(bytes);
      // The answer may have been lost: the same object is tried again.
      expect(await destination.create(NAME, 1_234_567_890_123, parts(count))).toBe(bytes);
      expect(await destination.create(NAME, 1_234_567_890_123, parts(count, 2))).toBeUndefined();
      expect(await bytesOf(destination)).toBe(bytes);
      const listed = await open(urlOf(`parts${count}`)).objects();
      expect(listed).toMatchObject([{ ...NAME, bytes }]);
      // The listing has the time of the store.
      expect(Math.abs((listed[0]?.timestampMs ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await destination.withTimes(listed)).toEqual([{ ...NAME, bytes, timestampMs: 1_234_567_890_123 }]);
      await destination.remove(NAME);
      expect(await destination.objects()).toEqual([]);
    }
  }, 60_000);

  test('it has one owner, until that has ended or no longer renews it', async () => {
    if (store === undefined) return;
    const clock = new OwnerClock();
    const openOwned = () => open(urlOf('owned'), clock);
    const first = await openOwned().acquire(OWNER);
    const other = { ...OWNER, host: 'other' };
    const waiting = openOwned();
    await expect(waiting.acquire(other)).rejects.toThrow('belongs to process 1 on h, data folder /data');
    clock.advance(20_000);
    await Bun.sleep(300);
    await expect(waiting.acquire(other)).rejects.toThrow('belongs to');
    first.check();
    await first.release();
    const second = await waiting.acquire(other);
    expect([second.epoch, second.takenFrom]).toEqual([2n, 'process 1 on h, data folder /data']);
    // A paused owner: it no longer renews its record, and another one takes over.
    const stopped = new OwnerClock();
    const paused = open(urlOf('paused'), stopped);
    const lost = await paused.acquire(OWNER);
    const taker = open(urlOf('paused'), clock);
    await expect(taker.acquire(other)).rejects.toThrow('belongs to');
    clock.advance(36_000);
    await taker.acquire(other);
    stopped.advance(31_000);
    expect(() => lost.check()).toThrow('could not be renewed');
    await Bun.sleep(500);
    expect(() => lost.check()).toThrow('another service has taken');
    await expect(openOwned().acquire({ ...other, database: 'two' })).rejects.toThrow('has objects of another database');
  }, 60_000);
});
