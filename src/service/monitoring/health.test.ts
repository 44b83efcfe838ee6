import { describe, expect, test } from 'bun:test';
import { ERRORS, fail } from '../../base/errors.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import { openModelGrid } from '../../engines/model/model-grid.ts';
import type { ClusterState } from '../../grid/grid.ts';
import { createHealth, HEALTH_BYTES } from './health.ts';

type Write = 'succeeds' | 'is full' | 'is damaged' | 'hangs' | 'is refused';

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
        return Promise.reject(fail('STORAGE_FULL'));
      case 'is damaged':
        return Promise.reject(fail('STORAGE_CORRUPT', 'malformed'));
      case 'is refused':
        return Promise.reject(fail('OPERATION_FAILED', 'refused'));
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

test('readiness follows the start, the state of the cluster and the stop', async () => {
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

describe('a write is tried when readiness is asked for', () => {
  const cases: ReadonlyArray<readonly [write: Write, readiness: string]> = [
    ['succeeds', 'ready'],
    ['is full', 'cannot write'],
    ['is damaged', 'cannot write'],
    ['is refused', 'ready'],
  ];
  for (const [write, readiness] of cases) {
    test(`it ${write}: ${readiness}, and ready again when it succeeds`, async () => {
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

  test('once a second at most, over all threads', async () => {
    const { clock, disk, health, other } = start();
    health.started();
    for (let n = 0; n < 20; n++) {
      await health.readiness();
      await other.readiness();
      clock.advance(100);
    }
    expect(disk.probes).toBe(2);
  });

  test('one that hangs makes every thread unready after two seconds, until it is done', async () => {
    const { clock, disk, health, other, release } = start();
    health.started();
    disk.write = 'hangs';
    const asked = health.readiness();
    await Bun.sleep(1);
    clock.advance(500);
    expect(await asked).toBe('ready');
    clock.advance(1_500);
    expect(await health.readiness()).toBe('cannot write');
    expect(await other.readiness()).toBe('cannot write');
    disk.write = 'succeeds';
    release();
    await Bun.sleep(1);
    expect(await health.readiness()).toBe('ready');
    expect(await other.readiness()).toBe('ready');
  });

  test('never where a cluster writes', async () => {
    const { disk, health } = start(false);
    health.started();
    disk.write = 'is full';
    expect(await health.readiness()).toBe('ready');
    expect(disk.probes).toBe(0);
  });
});

describe('a failed command', () => {
  const inCommand = (text: string) => `Failed to handle request: [req=CACHE_PUT, err=${text}]`;
  const DAMAGED = inCommand(ERRORS.STORAGE_CORRUPT.text('database disk image is malformed'));
  const cases: ReadonlyArray<readonly [title: string, text: string, isWrite: boolean, first: string, minute: string]> =
    [
      [
        'a full disk ends readiness until a probe',
        inCommand(ERRORS.STORAGE_FULL.text()),
        true,
        'cannot write',
        'ready',
      ],
      ['a read-only file does', inCommand(ERRORS.STORAGE_READ_ONLY.text()), true, 'cannot write', 'ready'],
      ['a write that met an I/O error does', inCommand(ERRORS.STORAGE_FAILED.text('x')), true, 'cannot write', 'ready'],
      ['a read that met an I/O error does not', inCommand(ERRORS.STORAGE_FAILED.text('x')), false, 'ready', 'ready'],
      ['a write that met damage ends it for a minute', DAMAGED, true, 'cannot write', 'cannot write'],
      ['a read that met damage does not', DAMAGED, false, 'ready', 'ready'],
      ['any other failure does not', 'Failed to find mandatory parameter in request: key', true, 'ready', 'ready'],
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

test('a cluster that does not answer makes the service unready', async () => {
  const { health, grid } = start();
  grid.cluster.state = () => Promise.reject(new Error('gone'));
  health.started();
  expect(await health.readiness()).toBe('unreachable');
});

test('a cluster that does not tell its state within 1.5 s makes the service unready', async () => {
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
