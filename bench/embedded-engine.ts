/**
 * `bun bench/embedded-engine.ts`: measures what the embedded engine adds to SQLite. Prints microseconds per operation
 * in one thread, for the engine and for the same statements in SQLite alone.
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { openEmbeddedGrid } from '../src/engines/embedded/embedded-grid.ts';
import { text, type Value } from '../src/values/value.ts';

const ENTRIES = [1_000, 100_000, 1_000_000];
const READS = 300_000;
const BATCHES = 400;
const PER_BATCH = 64;

function report(what: string, operations: number, startMs: number): void {
  const each = ((systemClock.monotonicMs() - startMs) * 1000) / operations;
  process.stdout.write(`${what.padEnd(52)}${each.toFixed(2).padStart(8)} us\n`);
}

const keyOf = (number: number): string => `key-${(number * 7919) % 1_000_003}`;

async function measure(folder: string, entries: number): Promise<void> {
  const regions = [{ name: 'memory', persistent: false }];
  const dataDir = join(folder, String(entries));
  const grid = await openEmbeddedGrid({ dataDir, clock: systemClock, version: 'bench', regions });
  for (const region of ['default', 'memory']) {
    const cache = `in_${region}`;
    await grid.caches.getOrCreate(cache, { region });
    for (let from = 0; from < entries; from += 10_000) {
      const size = Math.min(10_000, entries - from);
      await grid.entries.putAll(
        cache,
        Array.from({ length: size }, (_, n) => ({ key: text(keyOf(from + n)), value: text(`value of ${from + n}`) })),
      );
    }
    const title = (what: string): string => `${what}, ${entries} entries, region ${region}`;

    let found = 0;
    let start = systemClock.monotonicMs();
    for (let number = 0; number < READS; number++) {
      if (grid.entries.get(cache, text(keyOf((number * 31) % entries))) !== undefined) found++;
    }
    report(title('get, one tick'), READS, start);
    if (found !== READS) throw new Error(`${READS - found} entries are missing`);

    start = systemClock.monotonicMs();
    const value: Value = text('another value');
    for (let batch = 0; batch < BATCHES; batch++) {
      const puts = Array.from({ length: PER_BATCH }, (_, n) =>
        grid.entries.put(cache, text(keyOf((batch * 8191 + n * 31) % entries)), value),
      );
      await Promise.all(puts);
    }
    report(title(`put, ${PER_BATCH} a commit`), BATCHES * PER_BATCH, start);

    start = systemClock.monotonicMs();
    for (let number = 0; number < 1_000; number++) await grid.entries.size(cache);
    report(title('size'), 1_000, start);
  }
  await grid.close();
  bare(join(dataDir, 'bare.db'), entries);
}

/** The same work in SQLite alone. */
function bare(path: string, entries: number): void {
  const database = new Database(path, { create: true, safeIntegers: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA synchronous = FULL');
  database.run('CREATE TABLE e (kt INTEGER, k ANY, vt INTEGER, v ANY, exp INTEGER, PRIMARY KEY (kt, k)) WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO e VALUES (9, ?, 9, ?, NULL)');
  database.transaction(() => {
    for (let number = 0; number < entries; number++) insert.run(keyOf(number), `value of ${number}`);
  })();
  const select = database.prepare('SELECT vt, v, exp FROM e WHERE kt = 9 AND k = ?');
  let start = systemClock.monotonicMs();
  database.run('BEGIN');
  for (let number = 0; number < READS; number++) select.get(keyOf((number * 31) % entries));
  database.run('COMMIT');
  report(`get, ${entries} entries, bare SQLite`, READS, start);

  const update = database.prepare("UPDATE e SET v = 'another value' WHERE kt = 9 AND k = ?");
  start = systemClock.monotonicMs();
  for (let batch = 0; batch < BATCHES; batch++) {
    database.run('BEGIN');
    for (let n = 0; n < PER_BATCH; n++) update.run(keyOf((batch * 8191 + n * 31) % entries));
    database.run('COMMIT');
  }
  report(`put, ${entries} entries, bare SQLite`, BATCHES * PER_BATCH, start);
  database.close(true);
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
for (const entries of ENTRIES) await measure(folder, entries);
rmSync(folder, { recursive: true });
