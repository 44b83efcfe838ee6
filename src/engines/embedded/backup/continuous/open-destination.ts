/** Opens the destination that a URL names. */
import type { BackupKeys } from '../backup-keys.ts';
import { type Destination, folderOf, newestOf } from './destination.ts';
import { EncryptedDestination } from './encrypted-destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { type BucketContext, openBucket } from './s3-bucket.ts';
import { S3Destination } from './s3-destination.ts';

export type DestinationContext = BucketContext;

export interface DestinationOptions {
  /** {@link S3DestinationOptions.assumesSoleWriter} */
  readonly assumesSoleWriter?: boolean;
  /** Encrypts and decrypts objects; if undefined, encrypted ones are rejected. */
  readonly keys?: BackupKeys | undefined;
  /** Whether unencrypted objects are accepted although there are keys. */
  readonly acceptsPlain?: boolean;
  /** Throws if nothing more may be stored in a folder. */
  readonly checkRoom?: (folder: string) => void;
}

/**
 * Returns the destination for a URL in which `urlMistake` has found nothing. Throws the system's error if the
 * certificate file cannot be read.
 */
export function openDestination(
  url: string,
  context: DestinationContext,
  { assumesSoleWriter = false, keys, acceptsPlain = false, checkRoom }: DestinationOptions = {},
): EncryptedDestination {
  const folder = folderOf(url);
  const destination =
    folder === undefined ? bucketOf(url, context, assumesSoleWriter) : new FolderDestination(folder, checkRoom);
  return new EncryptedDestination(destination, keys, acceptsPlain);
}

/** Throws the error that prevents listing a bucket's objects. */
export async function checkBucket(url: string, context: DestinationContext): Promise<void> {
  const { client, path } = openBucket(url, context);
  await client.list(path === '' ? '' : `${path}/`, 1);
}

/** Throws the error that prevents decrypting the newest object. An unencrypted one, or none, is no obstacle. */
export async function checkKeys(url: string, context: DestinationContext, keys: BackupKeys): Promise<void> {
  const destination = openDestination(url, context, { keys, acceptsPlain: true });
  const newest = newestOf(await destination.objects());
  if (newest !== undefined) await destination.isEncrypted(newest);
}

function bucketOf(url: string, context: DestinationContext, assumesSoleWriter: boolean): Destination {
  const { client, name, path } = openBucket(url, context);
  return new S3Destination({ client, prefix: path, url: name, assumesSoleWriter, clock: context.clock });
}
