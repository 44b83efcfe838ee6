import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { ERRORS, gridError } from '../../base/errors.ts';
import type { ClusterState } from '../../grid/grid.ts';
import { createHealth, HEALTH_BYTES } from './health.ts';

type Write = 'succeeds' | 'is full' | 'is damaged' | 'hangs' | 'fails otherwise';

function start(writesFiles = true) {
  const clock = new ManualClock();
  const grid = openModelGrid({ clock });
  const put = grid.records.put.bind(grid.records);
  const disk: { write: Write; probes: number } = { write: 'succeeds', probes: 0 };
  const hanging: Array<() => void> = [];
  grid.records.put = (...args) => {
    disk.probes++;
    switch (disk.write) {
      case 'succeeds':
        return put(...args);
      case 'is full':
        return Promise.reject(gridError('STORAGE_FULL'));
      case 'is damaged':
        return Promise.reject(gridError('STORAGE_CORRUPT', 'malformed'));
      case 'fails otherwise':
        return Promise.reject(gridError('OPERATION_FAILED', 'refused'));
      case 'hangs':
        return new Promise((resolve) => hanging.push(resolve));
    }
  };
  const memory = new SharedArrayBuffer(HEALTH_BYTES);
  const open = () => createHealth({ grid: () => grid, clock, memory, writesFiles });
  const release = () => {
    for (const resolve of hanging.splice(0)) resolve();
  };
  return { clock, grid, disk, health: open(), other: open(), release };
}

test('readiness depends on start, cluster state and stop', async () => {
  const { health, grid } = start();
  const seen = [await health.readiness()];
  health.started();
  seen.push(await health.readiness());
  await grid.cluster.setState('ACTIVE_READ_ONLY', false);
  seen.push(await health.readiness());
  await grid.cluster.setState('INACTIVE', true);
  seen.push(await health.readiness());
  await grid.cluster.setState('ACTIVE', false);
  health.stopping();
  health.started();
  seen.push(await health.readiness());
  expect(seen).toEqual(['starting', 'ready', 'ready', 'inactive', 'stopping']);
});

describe('a readiness check writes a record', () => {
  const cases: ReadonlyArray<readonly [write: Write, readiness: string]> = [
    ['succeeds', 'ready'],
    ['is full', 'cannot write'],
    ['is damaged', 'cannot write'],
    ['fails otherwise', 'ready'],
  ];
  for (const [write, readiness] of cases) {
    test(`a write that ${write}: ${readiness}, then ready once a write succeeds`, async () => {
      const { clock, disk, health, other } = start();
      health.started();
      disk.write = write;
      expect(await health.readiness()).toBe(readiness as never);
      expect(await other.readiness()).toBe(readiness as never);
      disk.write = 'succeeds';
      clock.advance(1_000);
      expect(await other.readiness()).toBe('ready');
      expect(await health.readiness()).toBe('ready');
    });
  }

  test('at most once a second across all threads', async () => {
    const { clock, disk, health, other } = start();
    health.started();
    for (let n = 0; n < 20; n++) {
      await health.readiness();
      await other.readiness();
      clock.advance(100);
    }
    expect(disk.probes).toBe(2);
  });

  test('a hanging write makes all threads unready after two seconds until it ends', async () => {
    const { clock, disk, health, other, release } = start();
    health.started();
    disk.write = 'hangs';
    const readiness = health.readiness();
    await Bun.sleep(1);
    clock.advance(500);
    expect(await readiness).toBe('ready');
    clock.advance(1_500);
    expect(await health.readiness()).toBe('cannot write');
    expect(await other.readiness()).toBe('cannot write');
    disk.write = 'succeeds';
    release();
    await Bun.sleep(1);
    expect(await health.readiness()).toBe('ready');
    expect(await other.readiness()).toBe('ready');
  });

  test('never in a process that does not write files', async () => {
    const { disk, health } = start(false);
    health.started();
    disk.write = 'is full';
    expect(await health.readiness()).toBe('ready');
    expect(disk.probes).toBe(0);
  });
});

describe('errors of commands', () => {
  const inCommand = (text: string) => `Failed to handle request: [req=CACHE_PUT, err=${text}]`;
  const DAMAGED = inCommand(ERRORS.STORAGE_CORRUPT.text('database disk image is malformed'));
  const cases: ReadonlyArray<readonly [title: string, text: string, isWrite: boolean, first: string, minute: string]> =
    [
      [
        'a full disk makes the service unready until a probe succeeds',
        inCommand(ERRORS.STORAGE_FULL.text()),
        true,
        'cannot write',
        'ready',
      ],
      [
        'a read-only file makes the service unready',
        inCommand(ERRORS.STORAGE_READ_ONLY.text()),
        true,
        'cannot write',
        'ready',
      ],
      [
        'an I/O error of a write makes the service unready',
        inCommand(ERRORS.STORAGE_FAILED.text('x')),
        true,
        'cannot write',
        'ready',
      ],
      ['an I/O error of a read has no effect', inCommand(ERRORS.STORAGE_FAILED.text('x')), false, 'ready', 'ready'],
      [
        'corruption found by a write makes the service unready for a minute',
        DAMAGED,
        true,
        'cannot write',
        'cannot write',
      ],
      ['corruption found by a read has no effect', DAMAGED, false, 'ready', 'ready'],
      ['any other error has no effect', 'Failed to find mandatory parameter in request: key', true, 'ready', 'ready'],
    ];
  for (const [title, text, isWrite, first, later] of cases) {
    test(title, async () => {
      const { clock, health, other } = start();
      health.started();
      await health.readiness();
      health.failed(text, isWrite);
      expect(await other.readiness()).toBe(first as never);
      clock.advance(30_000);
      expect(await other.readiness()).toBe(later as never);
      clock.advance(30_000);
      expect(await other.readiness()).toBe('ready');
    });
  }
});

test('an unreachable cluster makes the service unready', async () => {
  const { health, grid } = start();
  grid.cluster.state = () => Promise.reject(new Error('gone'));
  health.started();
  expect(await health.readiness()).toBe('unreachable');
});

test('a cluster that does not return its state within 1.5 s makes the service unready', async () => {
  const { clock, health, grid } = start(false);
  const answer = Promise.withResolvers<ClusterState>();
  grid.cluster.state = () => answer.promise;
  health.started();
  const silent = health.readiness();
  clock.advance(1_500);
  expect(await silent).toBe('unreachable');
  const slow = health.readiness();
  clock.advance(1_400);
  answer.resolve('ACTIVE');
  expect(await slow).toBe('ready');
});
