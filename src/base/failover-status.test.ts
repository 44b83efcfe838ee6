/** The public details of a service's role, and those for the user of its data folder only. */
import { expect, test } from 'bun:test';
import { detailedStatus, type FailoverStatus, failoverDetails, publicStatus } from './failover-status.ts';

const STATUS: FailoverStatus = {
  role: 'standby',
  epoch: 7,
  primary: 'https://a.example',
  takeover: { epoch: 5, atMs: 1, because: 'expiry', from: 'process 12 on host-1, data folder /srv/a' },
  position: null,
  behindMs: 0,
  behindPositions: 0,
  lastObjectAgeMs: null,
  isSilent: true,
  reason: 'https://bucket.example answers nothing',
  isHeld: true,
  waitsFor: null,
  mayLoseMs: 0,
};
const DETAILS = failoverDetails(STATUS);

test('anybody learns that there is a reason, and neither it nor whose the term before was', () => {
  const text = JSON.stringify(publicStatus(STATUS));
  for (const secret of ['host-1', '/srv/a', 'process', 'bucket.example']) expect(text).not.toContain(secret);
  expect(publicStatus(STATUS).reason).not.toBeNull();
  expect(publicStatus({ ...STATUS, reason: null, takeover: null })).toMatchObject({ reason: null, takeover: null });
});

test('with the details of the folder, all of it is known', () => {
  expect(detailedStatus(publicStatus(STATUS), DETAILS)).toEqual(STATUS);
});

test('details of an earlier takeover are not those of this one', () => {
  const later = { ...STATUS, takeover: { epoch: 6, atMs: 2, because: 'force', from: null }, reason: null } as const;
  expect(detailedStatus(later, DETAILS)).toEqual(later);
});
