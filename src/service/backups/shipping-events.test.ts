import { expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import type { ContinuousStatus } from '../../grid/backup.ts';
import { createEventAudit } from '../monitoring/audit.ts';
import { ShippingEvents } from './shipping-events.ts';

const STARTING: ContinuousStatus = {
  state: 'starting',
  reason: null,
  takenFrom: null,
  position: null,
  lastObjectMs: 0,
  reportAgeMs: 500,
  behindSinceMs: 0,
  behindBytes: 0,
  objects: 0,
  bytes: 0,
  failures: 0,
  snapshots: 0,
};

test('each change of the continuous backup is one line of the audit log', () => {
  const clock = new ManualClock();
  const done: string[] = [];
  const failures: string[] = [];
  const sinks = {
    done: { append: (line: string) => void done.push(line) },
    failures: { append: (line: string) => void failures.push(line) },
  };
  let status = STARTING;
  const events = new ShippingEvents({
    continuous: () => status,
    clock,
    recordEvent: createEventAudit(sinks, clock),
  });
  events.start();
  const steps: ReadonlyArray<Partial<ContinuousStatus>> = [
    {},
    { state: 'shipping', position: '01', takenFrom: 'process 7 on other, data folder /data' },
    { position: '02' },
    { state: 'waiting', reason: 'lock.db is missing' },
    { state: 'waiting', reason: 'lock.db is missing' },
    { state: 'shipping', reason: null },
    { state: 'stopped', reason: 'somebody else has created the object of position 03' },
  ];
  for (const step of steps) {
    status = { ...status, ...step };
    clock.advance(1_000);
  }
  events.close();
  const shown = (lines: readonly string[]) => lines.map((line) => line.slice(line.indexOf('"message"')));
  expect(shown(done)).toEqual([
    '"message":"done","event":"shipping","state":"shipping","position":"01","takenFrom":"process 7 on other, data folder /data"}',
    '"message":"done","event":"shipping","state":"shipping","position":"02"}',
    '"message":"done","event":"shipping","state":"ended","position":"02"}',
  ]);
  expect(shown(failures)).toEqual([
    '"message":"failed","event":"shipping","state":"waiting","position":"02","error":"lock.db is missing"}',
    '"message":"failed","event":"shipping","state":"stopped","position":"02","error":"somebody else has created the object of position 03"}',
  ]);
});
