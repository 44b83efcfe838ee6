/**
 * Where a continuous backup is stored: the objects of one database in levels, under the names of Litestream 0.5, whose
 * program can also restore them.
 */

import type { Environment } from '../../../../base/child-environment.ts';
import type { Instance } from './instance.ts';

/** Level of objects that contain single intervals. */
export const LOWEST_LEVEL = 0;
/** Level of snapshots, as Litestream numbers it. */
export const SNAPSHOT_LEVEL = 9;

/** Names an object: its level and its range of transactions. */
export interface ObjectName {
  readonly level: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** An object in the destination. */
export interface StoredObject extends ObjectName {
  readonly bytes: number;
  /**
   * The time in its header, in ms since 1970, which is also the file's. In a bucket listing, the slightly later time at
   * which the store received the object; see {@link Destination.withTimes}.
   */
  readonly timestampMs: number;
}

/** A service that ships to a destination. */
export interface ShippingOwner {
  /** Id of the database, which a copy keeps. */
  readonly database: string;
  readonly host: string;
  readonly processId: number;
  /** The data folder. */
  readonly folder: string;
  /** The service's identity, or undefined if not known, as in records of earlier builds. */
  readonly instance?: Instance | undefined;
}

/** The owner's record in the destination. */
export interface OwnerRecord extends ShippingOwner {
  /** Incremented with each owner. */
  readonly epoch: number;
}

/** Describes an owner in messages. */
export function describeOwner({ host, processId, folder }: ShippingOwner): string {
  return `process ${processId} on ${host}, data folder ${folder}`;
}

/** Reports whether a parsed value is a record of an owner. */
export function isOwner(value: unknown): value is OwnerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { database, host, processId, folder, epoch, instance } = value as Partial<Record<keyof OwnerRecord, unknown>>;
  return (
    [database, host, folder].every((each) => typeof each === 'string') &&
    [processId, epoch].every((each) => Number.isSafeInteger(each)) &&
    (instance === undefined || isInstance(instance))
  );
}

/** Parses an owner's record; returns undefined if the text is not one. */
export function ownerIn(text: string): OwnerRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isInstance(value: unknown): value is Instance {
  if (typeof value !== 'object' || value === null) return false;
  const { id, machine, boot } = value as Partial<Record<keyof Instance, unknown>>;
  return [id, machine, boot].every((each) => typeof each === 'string');
}

/**
 * Reports whether the last owner was the same service since the machine last started: its data folder's lock then
 * says that it has ended. Machines from one image have the same names and, if their folder is from the image,
 * also the same id.
 */
export function hasEnded(last: ShippingOwner, owner: ShippingOwner): boolean {
  return isSameService(last, owner) && last.instance !== undefined && last.instance.boot === owner.instance?.boot;
}

/** Describes the last owner if it was another service. */
export function takenFromOf(last: ShippingOwner | undefined, owner: ShippingOwner): string | undefined {
  return last === undefined || isSameService(last, owner) ? undefined : describeOwner(last);
}

/** Reports whether two owners are the same service, possibly in different processes. */
export function isSameService(one: ShippingOwner, other: ShippingOwner): boolean {
  if (one.host !== other.host || one.folder !== other.folder) return false;
  // Earlier builds recorded no id.
  if (one.instance === undefined || other.instance === undefined) return true;
  return one.instance.id === other.instance.id && one.instance.machine === other.instance.machine;
}

/** The right to ship to a destination. */
export interface Ownership {
  /** Incremented with each owner. */
  readonly epoch: bigint;
  /** Describes the previous owner, if it was another service. */
  readonly takenFrom: string | undefined;
  /** Throws ShippingStopped if another owner may have the destination now, and an error after its release. */
  check(): void;
  /** Releases the destination to others. Nothing is changed there from the call on, whether it succeeds or not. */
  release(): void | Promise<void>;
}

export interface Destination {
  /** Returns all objects, in no particular order. */
  objects(): Promise<StoredObject[]>;
  /** Returns these objects with the times in their headers. Throws an error with the code ENOENT if one is gone. */
  withTimes(objects: readonly StoredObject[]): Promise<StoredObject[]>;
  /**
   * Yields an object's bytes, decrypted. Throws an error with the code ENOENT if it does not exist. If objects are
   * encrypted, throws BACKUP_NOT_ENCRYPTED for one that is not, unless `acceptsPlain`.
   */
  read(name: ObjectName, acceptsPlain?: boolean): AsyncIterable<Uint8Array>;
  /**
   * Creates an object, unless one with that name and other contents exists. Returns its length; undefined if there is a
   * different one, which stays unchanged. One that is merged from `sources` is encrypted only if they are.
   */
  create(
    name: ObjectName,
    timestampMs: number,
    chunks: AsyncIterable<Uint8Array>,
    sources?: readonly ObjectName[],
  ): Promise<number | undefined>;
  remove(name: ObjectName): Promise<void>;
  /** Throws DestinationOwned while another owner ships there, and ShippingStopped if another database is there. */
  acquire(owner: ShippingOwner): Promise<Ownership>;
}

/** A failure after which nothing is shipped until a person has examined the destination. */
export class ShippingStopped extends Error {
  override readonly name = 'ShippingStopped';
}

/** Another owner ships to the destination. */
export class DestinationOwned extends Error {
  override readonly name = 'DestinationOwned';
}

const NAME = /^([0-9a-f]{16})-([0-9a-f]{16})\.ltx$/;
const TRANSACTION_DIGITS = 16;

/** Returns the object that leads to the last position; of several, the one on the lowest level. */
export function newestOf(names: readonly ObjectName[]): ObjectName | undefined {
  let newest: ObjectName | undefined;
  for (const name of names) {
    const isNewer =
      newest === undefined || name.last > newest.last || (name.last === newest.last && name.level < newest.level);
    if (isNewer) newest = name;
  }
  return newest;
}

/** Returns the name of an object's file. */
export function fileNameOf({ first, last }: ObjectName): string {
  return `${positionText(first)}-${positionText(last)}.ltx`;
}

/** Returns the object for a file name, or undefined if it is not one. */
export function objectOf(level: number, fileName: string): ObjectName | undefined {
  const [, first, last] = NAME.exec(fileName) ?? [];
  return first === undefined ? undefined : { level, first: BigInt(`0x${first}`), last: BigInt(`0x${last}`) };
}

/** Formats a position in the chain as in names: 16 hexadecimal digits. */
export function positionText(transaction: bigint): string {
  return transaction.toString(16).padStart(TRANSACTION_DIGITS, '0');
}

/** Returns the problem with a destination's URL, or undefined. */
export function urlMistake(url: string): string | undefined {
  const parsed = URL.parse(url);
  switch (parsed?.protocol) {
    case 'file:':
      return fileMistake(parsed);
    case 's3:':
      return bucketMistake(parsed);
    default:
      return 'must be the URL of a folder, such as file:///var/backups/svc, or of a bucket, such as s3://bucket/prefix';
  }
}

function fileMistake({ host, pathname, search, hash }: URL): string | undefined {
  if (host !== '') return `must have three slashes after file:, such as file:///${host}${pathname}`;
  if (search !== '' || hash !== '') return 'must have no ? and no #';
  return pathname === '/' ? 'must name a folder' : undefined;
}

const ENDPOINT = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/;
/** The first one that is set is used. */
export const ENDPOINT_VARIABLES = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'] as const;
const BUCKET_OPTIONS = new Set(['endpoint', 'region', 'forcePathStyle']);

function bucketMistake({ hostname, username, password, pathname, hash, searchParams, port }: URL): string | undefined {
  if (hostname === '' || port !== '') return 'must name a bucket after s3://';
  if (username !== '' || password !== '') return 'must not contain credentials: use the environment or a file';
  if (hash !== '') return 'must have no #';
  try {
    decodeURIComponent(pathname);
  } catch {
    return 'must have two hexadecimal digits of UTF-8 after each %';
  }
  for (const [name, value] of searchParams) {
    if (!BUCKET_OPTIONS.has(name))
      return `has the unknown parameter ${name}: there are endpoint, region, forcePathStyle`;
    if (name === 'forcePathStyle' && value !== 'true' && value !== 'false') return 'forcePathStyle is true or false';
    if (name === 'endpoint' && !ENDPOINT.test(value)) return 'endpoint must be an http or https URL';
  }
  return undefined;
}

/** Returns the problem with the variables that name a URL's endpoint, or undefined. */
export function endpointMistake(url: string, environment: Environment): string | undefined {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 's3:' || parsed.searchParams.get('endpoint')) return undefined;
  const used = ENDPOINT_VARIABLES.find((name) => environment[name]);
  if (used === undefined || ENDPOINT.test(environment[used] ?? '')) return undefined;
  return `${used} must be an http or https URL without a user, a ? and a #`;
}

/** Returns the folder of a valid URL, or undefined if it names a bucket. */
export function folderOf(url: string): string | undefined {
  return url.startsWith('file:') ? Bun.fileURLToPath(url) : undefined;
}
