/** Kills a query process alone, and the service alone, while statements run. The short form is beside it. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { Random } from '../../simulation/random.ts';
import { newFolder } from '../../system/service-process.ts';
import { KilledChanges, killProcess, killService, startForChanges, startWithRows } from './kills.ts';

const SEED = Number(process.env.PROOF_SEED ?? 32);
/** Kills of each kind; a shard of CI makes fewer. */
const KILLS = Number(process.env.PROOF_KILLS ?? 200);
const LIMIT_MS = 1_800_000;

test(
  'a query process that is killed takes its statements and cursors with it, and nothing else',
  async () => {
    const dataDir = newFolder();
    const random = new Random(SEED);
    try {
      await using service = await startWithRows(dataDir);
      for (let kill = 0; kill < KILLS; kill++) expect(await killProcess(service, random)).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);

test(
  'a service that is killed takes its query processes with it, and loses nothing',
  async () => {
    const dataDir = newFolder();
    const random = new Random(SEED);
    try {
      for (let kill = 0; kill < KILLS; kill++) expect(await killService(dataDir, random)).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);

test(
  'a process that is killed while it changes leaves nothing by halves, no lock, and nothing acknowledged is lost',
  async () => {
    const dataDir = newFolder();
    const random = new Random(SEED);
    try {
      await using service = await startForChanges(dataDir);
      const changes = new KilledChanges(service);
      for (let kill = 0; kill < KILLS; kill++) expect(await changes.kill(random)).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
