/**
 * Cuts the power at any moment of the first start of a service, until after its first answered change. The next start
 * opens the remaining files, and finds the change if it was answered before.
 */

import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { openEmbeddedGrid } from '../../../src/engines/embedded/embedded-grid.ts';
import { text } from '../../../src/values/value.ts';
import { entriesOf } from '../../grid/entry-methods.ts';
import { Random } from '../../simulation/random.ts';
import { newFolder, queryOf, startService } from '../../system/service-process.ts';
import { type CutCounts, JournaledFolder, writeDisk } from './disk.ts';
import { readJournal } from './journal.ts';
import { buildShim, shimEnvironment, shimMissing } from './shim.ts';

const SEED = Number(process.env.PROOF_SEED ?? 20_261);
const CUTS = 150;
/** Operations that create the files. The power is cut several times at each, because a page may be half written. */
const FIRST_OPERATIONS = 40;
const CUTS_OF_FIRST = 10;
const [CACHE, KEY, VALUE] = ['default', text('a'), text('b')];

const missing = shimMissing();
if (missing !== undefined) process.stdout.write(`(skip) power cuts of the first start: ${missing}\n`);

/** Records the file operations of a first start and a change. Returns them, and their length when it was answered. */
async function recordFirstStart(folder: string): Promise<{ readonly journal: Buffer; readonly answeredAt: number }> {
  const [dataDir, state, path] = [join(folder, 'first'), join(folder, 'state'), join(folder, 'journal')];
  mkdirSync(dataDir);
  const shim = shimEnvironment(buildShim(), { dataDir, state, sync: 'journal', journal: path, syncUs: 300 });
  const service = await startService({ dataDir, env: { SVC_WORKERS: '1', ...shim } });
  try {
    await service.command(queryOf({ cmd: 'put', cacheName: CACHE, key: 'a', val: 'b' }));
    return { answeredAt: readFileSync(path).length, journal: readFileSync(path) };
  } finally {
    await service.kill();
  }
}

/** Returns the ends of the operations of a journal. */
function endsOf(journal: Buffer): number[] {
  const operations = [...readJournal(journal)];
  return operations.map(({ data }) => data.byteOffset + data.length - journal.byteOffset);
}

test.skipIf(missing !== undefined)(
  `a power cut at any moment of the first start leaves a data folder that opens, seed ${SEED}`,
  async () => {
    const folder = newFolder();
    try {
      const { journal, answeredAt } = await recordFirstStart(folder);
      const ends = endsOf(journal);
      expect(ends.length).toBeGreaterThan(20);
      const random = new Random(SEED);
      const counts: CutCounts = { unsynced: 0, dropped: 0, torn: 0, reordered: 0 };
      const dataDir = join(folder, 'cut');
      const found: string[] = [];
      const wrong: string[] = [];
      // Every third of the first cuts is after the answer.
      const cuts = Array.from({ length: CUTS }, (_, cut) =>
        cut % 3 === 0 ? journal.length : (ends[random.below(ends.length)] ?? 0),
      );
      for (const end of ends.slice(0, FIRST_OPERATIONS)) for (let n = 0; n < CUTS_OF_FIRST; n++) cuts.push(end);
      for (const [cut, end] of cuts.entries()) {
        writeDisk(dataDir, new JournaledFolder(new Map(), journal.subarray(0, end)).cut(random, counts));
        try {
          const grid = await openEmbeddedGrid({ dataDir, clock: systemClock, version: '1.0.0' });
          const entry = await entriesOf(grid).get(CACHE, KEY);
          await entriesOf(grid).put(CACHE, KEY, VALUE);
          await grid.close();
          if (entry !== null && entry !== undefined) found.push(`${cut}`);
          else if (end >= answeredAt) wrong.push(`cut ${cut}: the answered change is lost`);
        } catch (error) {
          wrong.push(`cut ${cut} after ${end} of ${journal.length} bytes: ${String(error)}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(found.length).toBeGreaterThanOrEqual(CUTS / 3);
      expect(counts.dropped).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
