/** Kills a statement process alone, and the service alone, while statements run. */
import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { Random } from '../../simulation/random.ts';
import { newFolder } from '../../system/service-process.ts';
import { KilledChanges, killProcess, killService, startForChanges, startWithRows } from './kills.ts';

interface KillOptions {
  readonly seed: number;
  /** Kills of each kind. */
  readonly kills: number;
  /** Time that each test may take. */
  readonly limitMs: number;
}

export function testKills({ seed, kills, limitMs }: KillOptions): void {
  test(
    'a statement process that is killed takes its statements and cursors with it, and nothing else',
    async () => {
      const dataDir = newFolder();
      const random = new Random(seed);
      try {
        await using service = await startWithRows(dataDir);
        for (let kill = 0; kill < kills; kill++) expect(await killProcess(service, random)).toEqual([]);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    limitMs,
  );

  test(
    'a service that is killed takes its statement processes with it, and loses nothing',
    async () => {
      const dataDir = newFolder();
      const random = new Random(seed);
      try {
        for (let kill = 0; kill < kills; kill++) expect(await killService(dataDir, random)).toEqual([]);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    limitMs,
  );

  test(
    'a process that is killed while it changes leaves nothing by halves, no lock, and nothing acknowledged is lost',
    async () => {
      const dataDir = newFolder();
      const random = new Random(seed);
      try {
        await using service = await startForChanges(dataDir);
        const changes = new KilledChanges(service);
        for (let kill = 0; kill < kills; kill++) expect(await changes.kill(random)).toEqual([]);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    limitMs,
  );
}
