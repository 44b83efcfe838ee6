/** Opens the bucket that a URL names: `s3://bucket/path`, with the parameters of `urlMistake`. */
import { readFileSync } from 'node:fs';
import type { Environment } from '../../../../base/child-environment.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ENDPOINT_VARIABLES, endpointMistake } from './destination.ts';
import { S3Client, type S3Limits } from './s3-client.ts';
import { credentialsOf } from './s3-credentials.ts';
import { ObjectStoreError } from './s3-errors.ts';

/** The inputs for opening a bucket besides its URL. */
export interface BucketContext {
  readonly clock: Clock;
  /** Credentials, region and certificates of object stores: the variables `AWS_...`. */
  readonly environment: Environment;
  /** Limits of requests; the usual ones if undefined. */
  readonly limits?: S3Limits | undefined;
}

export interface OpenBucket {
  readonly client: S3Client;
  /** The path in the bucket, without leading and trailing slashes; empty for the whole bucket. */
  readonly path: string;
  /** The URL as shown in messages. */
  readonly name: string;
}

/**
 * Throws ObjectStoreError if a variable names no endpoint, and the system's error if the certificate file
 * cannot be read.
 */
export function openBucket(url: string, { clock, environment, limits }: BucketContext): OpenBucket {
  const { hostname: bucket, pathname, searchParams } = new URL(url);
  const region = searchParams.get('region') || environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1';
  const mistake = endpointMistake(url, environment);
  if (mistake !== undefined) throw new ObjectStoreError(mistake);
  const variable = ENDPOINT_VARIABLES.find((name) => environment[name]);
  const custom = searchParams.get('endpoint') || (variable && environment[variable]);
  const endpoint = custom || `https://s3.${region}.amazonaws.com`;
  const pathStyle = searchParams.get('forcePathStyle');
  // Bucket names with a dot have no certificate as part of a host.
  const isPathStyle = pathStyle === null ? Boolean(custom) || bucket.includes('.') : pathStyle === 'true';
  const path = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '');
  const authorities = environment.AWS_CA_BUNDLE ? readFileSync(environment.AWS_CA_BUNDLE, 'utf8') : undefined;
  const client = new S3Client({
    location: { endpoint, region, bucket, isPathStyle, ...(authorities !== undefined && { authorities }) },
    credentials: () => credentialsOf(environment),
    clock,
    ...(limits !== undefined && { limits }),
  });
  return { client, path, name: `s3://${bucket}/${path}` };
}
