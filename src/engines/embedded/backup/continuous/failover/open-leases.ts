/** Opens the lease at the destination that a URL names. */
import { systemClock } from '../../../../../base/clock.ts';
import { folderOf } from '../destination.ts';
import { FolderDestination } from '../folder-destination.ts';
import type { DestinationContext } from '../open-destination.ts';
import { openBucket } from '../s3-bucket.ts';
import { S3_LIMITS, type S3Limits } from '../s3-client.ts';
import { S3Destination } from '../s3-destination.ts';
import { FolderLeases } from './folder-leases.ts';
import type { Leases, OwnService } from './leases.ts';
import { S3Leases } from './s3-leases.ts';

/** An attempt to renew a lease takes at most this fraction of it, so that several fit. */
const ATTEMPT_SHARE = 0.25;

/**
 * The limits of requests with failover: none is repeated automatically, because it must not begin after the lease has
 * ended, and one that creates an object is repeated byte for byte.
 */
export function failoverLimits(leaseMs: number): S3Limits {
  return { ...S3_LIMITS, tries: 1, tryMs: Math.min(S3_LIMITS.tryMs, leaseMs * ATTEMPT_SHARE) };
}

export interface OpenLeasesOptions extends OwnService {
  readonly url: string;
  readonly leaseMs: number;
  readonly bootMs: () => number;
}

export function openLeases(
  { url, folder, processId, leaseMs, bootMs }: OpenLeasesOptions,
  context: Pick<DestinationContext, 'environment'>,
): Leases {
  const named = folderOf(url);
  if (named !== undefined) {
    const destination = new FolderDestination(named);
    const hasObjects = async () => (await destination.objects()).length > 0;
    return new FolderLeases({ destination: named, folder, processId, bootMs, hasObjects });
  }
  const clock = systemClock;
  const { client, path, name } = openBucket(url, { ...context, clock, limits: failoverLimits(leaseMs) });
  const destination = new S3Destination({ client, prefix: path, url: name, assumesSoleWriter: false, clock });
  return new S3Leases({
    ...{ client, url: name, folder, processId, bootMs },
    key: destination.ownerKey,
    hasObjects: async () => (await destination.objects()).length > 0,
    probe: () => destination.probe(),
  });
}
