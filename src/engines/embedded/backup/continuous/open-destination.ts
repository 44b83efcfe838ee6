/** Opens the destination that a URL names. */
import { type Destination, folderOf } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { type BucketContext, openBucket } from './s3-bucket.ts';
import { S3Destination } from './s3-destination.ts';

export type DestinationContext = BucketContext;

/**
 * Returns the destination of a URL in which `urlMistake` has found nothing. `isGuarded` is
 * {@link S3DestinationOptions.isGuarded}. Throws the error of the system if the file of certificates cannot be read.
 */
export function openDestination(url: string, context: DestinationContext, isGuarded = false): Destination {
  const folder = folderOf(url);
  return folder === undefined ? bucketOf(url, context, isGuarded) : new FolderDestination(folder);
}

/** Throws what prevents that the objects of a bucket are listed. */
export async function checkBucket(url: string, context: DestinationContext): Promise<void> {
  const { client, path } = openBucket(url, context);
  await client.list(path === '' ? '' : `${path}/`, 1);
}

function bucketOf(url: string, context: DestinationContext, isGuarded: boolean): S3Destination {
  const { client, name, path } = openBucket(url, context);
  return new S3Destination({ client, prefix: path, url: name, isGuarded, clock: context.clock });
}
