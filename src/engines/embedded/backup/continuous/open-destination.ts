/** Opens the destination that a URL names. */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../../../base/clock.ts';
import { type Destination, folderOf } from './destination.ts';
import { FolderDestination } from './folder-destination.ts';
import { S3Client } from './s3-client.ts';
import { credentialsOf, type Environment } from './s3-credentials.ts';
import { S3Destination } from './s3-destination.ts';

/** What opening a destination needs beside its URL. */
export interface DestinationContext {
  readonly clock: Clock;
  /** Credentials, region and certificates of object stores: the variables `AWS_...`. */
  readonly environment: Environment;
}

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
  await bucketOf(url, context, true).check();
}

function bucketOf(url: string, { clock, environment }: DestinationContext, isGuarded: boolean): S3Destination {
  const { hostname: bucket, pathname, searchParams } = new URL(url);
  const region = searchParams.get('region') || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1';
  const custom = searchParams.get('endpoint') || environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL;
  const endpoint = custom || `https://s3.${region}.amazonaws.com`;
  const pathStyle = searchParams.get('forcePathStyle');
  // Names of buckets with a dot have no certificate as part of a host.
  const isPathStyle = pathStyle === null ? Boolean(custom) || bucket.includes('.') : pathStyle === 'true';
  const prefix = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  const authorities = environment.AWS_CA_BUNDLE ? readFileSync(environment.AWS_CA_BUNDLE, 'utf8') : undefined;
  const client = new S3Client({
    location: { endpoint, region, bucket, isPathStyle, ...(authorities !== undefined && { authorities }) },
    credentials: () => credentialsOf(environment),
    clock,
  });
  return new S3Destination({ client, prefix, url: `s3://${bucket}/${prefix}`, isGuarded, clock });
}
